import Gatefold
package import HTTPTypes
import Hummingbird

/// What the auth-request endpoint says: a status and headers, never a body.
package struct AuthRequestAnswer: Sendable {
    package var status: HTTPResponse.Status
    package var headers: HTTPFields

    /// The gate's decision on the request that a trusted front server names.
    ///
    /// - Parameter head: of the front server's own request.
    package init(to head: HTTPRequest, _ convention: ForwardedTarget, _ keeper: GateKeeper) {
        guard let (method, target) = convention.read(head) else {
            self = Self.refused(.forwardedTarget, keeper)
            return
        }
        let question = GateRequest(method: method, target: target, headers: head.headerFields)
        switch keeper.decide(question, for: .authRequest) {
        case .refused:
            self.init(.forbidden)
        case .allowed(let content):
            self.init(.ok)
            headers[.gatefoldPath] = content.path.percentEncoded
            headers[.gatefoldEdition] = content.edition?.description
            headers[.gatefoldSubscriber] = content.subscriber?.description
        }
    }

    private init(_ status: HTTPResponse.Status) {
        self.status = status
        headers = RefusalHeaders.all
    }

    static func refused(_ reason: GateRefusal.Reason, _ keeper: GateKeeper) -> AuthRequestAnswer {
        keeper.report(GateRefusal(reason), by: .authRequest)
        return AuthRequestAnswer(.forbidden)
    }

    var response: Response { Response(status: status, headers: headers) }
}
