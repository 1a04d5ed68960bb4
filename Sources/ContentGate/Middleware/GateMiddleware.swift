public import Hummingbird

/// The gate in front of a Hummingbird server's own routes.
///
/// What follows sees the path as it was checked, percent-encoded anew, in place of what the client sent. Put it on the router
/// itself, and let routes read `admit`'s ``AllowedContent`` rather than parameters that were cut from the raw target.
public struct GateMiddleware<Context: RequestContext>: RouterMiddleware {
    private let keeper: GateKeeper
    private let admit: @Sendable (inout Context, AllowedContent) -> Void

    /// - Parameter admit: can keep what was allowed in the context, for the routes behind the gate.
    public init(
        _ keeper: GateKeeper, admit: @escaping @Sendable (inout Context, AllowedContent) -> Void = { _, _ in }
    ) {
        self.keeper = keeper
        self.admit = admit
    }

    public func handle(
        _ request: Request, context: Context, next: (Request, Context) async throws -> Response
    ) async throws -> Response {
        switch keeper.decide(GateRequest(request), for: .middleware) {
        case .refused(let refusal):
            return RefusalHeaders.response(refusal.status)
        case .allowed(let content):
            var head = request.head
            head.path = content.path.percentEncoded + (request.uri.query.map { "?" + $0 } ?? "")
            var context = context
            admit(&context, content)
            let response = try await next(Request(head: head, body: request.body), context)
            return keeper.holdingToResumption(response, of: content, carrier: .middleware)
        }
    }
}

extension GateRequest {
    /// The request as it came over the wire.
    public init(_ request: Request) {
        self.init(method: request.method, target: request.head.path ?? "", headers: request.headers)
    }
}

extension GateKeeper {
    /// The response, or a refusal in its place where it would break the ``ResumptionRule``.
    func holdingToResumption(_ response: Response, of content: AllowedContent, carrier: GateEvent.Carrier) -> Response {
        guard content.reason == .resumption, !ResumptionRule.permits(response) else { return response }
        let refusal = GateRefusal(
            .resumptionFromStart, publication: content.publication, edition: content.edition,
            subscriber: content.subscriber)
        report(refusal, by: carrier)
        return RefusalHeaders.response(refusal.status)
    }
}
