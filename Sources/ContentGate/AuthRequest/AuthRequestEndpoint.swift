import Gatefold
import HTTPTypes
public import Hummingbird

/// Answers a front server that asks, for each request it has, whether it may serve it.
///
/// 200 or 403, both without a body: nginx turns any other refusal into 500, so a request that the gate would call bad is 403
/// here too. `Authorization` and `Range` are the asking request's own headers, which front servers pass on.
///
/// On 200, `X-Gatefold-Path` is the path that was checked, percent-encoded, for the front server to serve;
/// `X-Gatefold-Edition` and `X-Gatefold-Subscriber` (a pseudonym) are for its log.
///
/// `X-Gatefold-Resumption: yes` marks a grant that may only continue a download (see ``ResumptionRule``). The front server must pass on
/// the `Range` that it asked about and no `If-Range`: it sends the client's as `If-Match` instead, and never to this endpoint,
/// which refuses expired credentials beside an `If-Range`.
public struct AuthRequestEndpoint<Context: RequestContext>: HTTPResponder {
    private let keeper: GateKeeper
    private let convention: ForwardedTarget
    private let trusts: @Sendable (Request, Context) -> Bool

    /// - Parameters:
    ///   - convention: the one way in which the front server names the original request.
    ///   - trusts: whether the peer that asks may name it; everybody else gets 403.
    public init(
        _ keeper: GateKeeper, convention: ForwardedTarget, trusts: @escaping @Sendable (Request, Context) -> Bool
    ) {
        self.keeper = keeper
        self.convention = convention
        self.trusts = trusts
    }

    public func respond(to request: Request, context: Context) async throws -> Response {
        let answer =
            trusts(request, context)
            ? AuthRequestAnswer(to: request.head, convention, keeper.gate) : .refused(.untrustedPeer)
        keeper.report(answer.event)
        return answer.response
    }
}
