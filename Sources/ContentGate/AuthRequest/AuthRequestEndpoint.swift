import HTTPTypes
public import Hummingbird

/// A responder that decides, for each request of a front server, whether the front server may serve it.
///
/// The response is 200 or 403, both without a body. nginx turns any other denial into 500, so a request that the
/// gate rejects as malformed is 403 here too. `Authorization` and `Range` are the headers of the front server's own
/// request, which passes them on from the client.
///
/// On 200, `X-Gatefold-Path` is the path that was checked, percent-encoded, for the front server to serve.
/// `X-Gatefold-Edition` and `X-Gatefold-Subscriber` (a pseudonym) are for its log.
///
/// `X-Gatefold-Resumption: yes` marks a grant that may only continue a download (see `ResumptionRule`). The front
/// server must pass on the `Range` of its request to this endpoint, and no `If-Range`. It sends the client's
/// `If-Range` as `If-Match` instead, and never sends it to this endpoint, which denies expired credentials together
/// with an `If-Range`.
public struct AuthRequestEndpoint<Context: RequestContext>: HTTPResponder {
    private let evaluator: GateEvaluator
    private let convention: ForwardedTarget
    private let trusts: @Sendable (Request, Context) -> Bool

    /// - Parameters:
    ///   - evaluator: The evaluator that decides on requests.
    ///   - convention: The only way in which the front server names the original request.
    ///   - trusts: Returns whether the peer may name the original request. All other peers get 403.
    public init(
        _ evaluator: GateEvaluator, convention: ForwardedTarget, trusts: @escaping @Sendable (Request, Context) -> Bool
    ) {
        self.evaluator = evaluator
        self.convention = convention
        self.trusts = trusts
    }

    public func respond(to request: Request, context: Context) async throws -> Response {
        let result =
            trusts(request, context)
            ? AuthRequestResponse(to: request.head, convention, evaluator.gate) : .denied(.untrustedPeer)
        evaluator.report(result.event)
        return result.response
    }
}
