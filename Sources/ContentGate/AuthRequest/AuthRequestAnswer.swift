import Gatefold
package import HTTPTypes
import Hummingbird

/// What the auth-request endpoint says: a status and headers, never a body.
///
/// Nobody was told of the decision yet: whoever gives the answer reports its event, each time.
package struct AuthRequestAnswer: Sendable {
    package var status: HTTPResponse.Status
    package var headers: HTTPFields
    package let event: GateEvent

    /// The gate's decision on the request that a trusted front server names.
    ///
    /// - Parameter head: of the front server's own request.
    package init(to head: HTTPRequest, _ convention: ForwardedTarget, _ gate: Gate) {
        guard let (method, target) = convention.read(head) else {
            self = Self.refused(.forwardedTarget)
            return
        }
        self.init(to: GateRequest(method: method, target: target, forwarded: head.headerFields), gate)
    }

    /// The gate's decision on a request.
    package init(to question: GateRequest, _ gate: Gate) {
        let decision = gate.decide(question)
        switch decision {
        case .refused:
            self.init(.forbidden, decision)
        case .allowed(let content):
            self.init(.ok, decision)
            headers.append(HTTPField(name: .gatefoldPath, value: content.path.percentEncoded))
            if let edition = content.edition {
                headers.append(HTTPField(name: .gatefoldEdition, value: edition.description))
            }
            if let subscriber = content.subscriber {
                headers.append(HTTPField(name: .gatefoldSubscriber, value: subscriber.description))
            }
            if content.reason == .resumption {
                headers.append(HTTPField(name: .gatefoldResumption, value: "yes"))
            }
        }
    }

    private init(_ status: HTTPResponse.Status, _ decision: GateDecision) {
        self.status = status
        headers = RefusalHeaders.all
        event = GateEvent(decision: decision, carrier: .authRequest)
    }

    static func refused(_ reason: GateRefusal.Reason) -> AuthRequestAnswer {
        AuthRequestAnswer(.forbidden, .refused(GateRefusal(reason)))
    }

    var response: Response { Response(status: status, headers: headers) }
}
