import Gatefold
package import HTTPTypes
import Hummingbird

/// The response of the auth-request endpoint: a status and headers, never a body.
///
/// The decision is not reported yet. The caller that sends the response reports its event each time.
package struct AuthRequestResponse: Sendable {
    package var status: HTTPResponse.Status
    package var headers: HTTPFields
    package let event: GateEvent

    /// Decides about the request that a trusted front server names.
    ///
    /// - Parameter head: The head of the front server's own request.
    package init(to head: HTTPRequest, _ convention: ForwardedTarget, _ gate: Gate) {
        guard let (method, target) = convention.read(head) else {
            self = Self.denied(.forwardedTarget)
            return
        }
        self.init(to: GateRequest(method: method, target: target, forwarded: head.headerFields), gate)
    }

    /// Decides about a request.
    package init(to request: GateRequest, _ gate: Gate) {
        let decision = gate.evaluate(request)
        switch decision {
        case .denied:
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
        headers = DenialHeaders.all
        event = GateEvent(decision: decision, entryPoint: .authRequest)
    }

    static func denied(_ reason: GateDenial.Reason) -> AuthRequestResponse {
        AuthRequestResponse(.forbidden, .denied(GateDenial(reason)))
    }

    var response: Response { Response(status: status, headers: headers) }
}
