public import Hummingbird

/// A middleware that puts the gate in front of a Hummingbird server's own routes.
///
/// The routes behind it see the checked path, percent-encoded again, in place of the target of the client. Add it
/// to the router itself, and let routes read the ``AllowedContent`` of `admit` instead of parameters from the raw
/// target.
public struct GateMiddleware<Context: RequestContext>: RouterMiddleware {
    private let evaluator: GateEvaluator
    private let admit: @Sendable (inout Context, AllowedContent) -> Void

    /// - Parameters:
    ///   - evaluator: The evaluator that decides on requests.
    ///   - admit: Can store the allowed content in the context, for the routes behind the gate.
    public init(
        _ evaluator: GateEvaluator, admit: @escaping @Sendable (inout Context, AllowedContent) -> Void = { _, _ in }
    ) {
        self.evaluator = evaluator
        self.admit = admit
    }

    public func handle(
        _ request: Request, context: Context, next: @concurrent (Request, Context) async throws -> Response
    ) async throws -> Response {
        switch evaluator.evaluate(GateRequest(request), for: .middleware) {
        case .denied(let denial):
            return DenialHeaders.response(denial.status)
        case .allowed(let content):
            var head = request.head
            head.path = content.path.percentEncoded + (request.uri.query.map { "?" + $0 } ?? "")
            var context = context
            admit(&context, content)
            let response = try await next(Request(head: head, body: request.body), context)
            return evaluator.enforcingResumption(response, of: content, entryPoint: .middleware)
        }
    }
}

extension GateRequest {
    /// Creates the gate's view of a request as received.
    public init(_ request: Request) {
        self.init(method: request.method, target: request.head.path ?? "", headers: request.headers)
    }
}

extension GateEvaluator {
    /// Returns the response, or a denial if the response would break the ``ResumptionRule``.
    func enforcingResumption(_ response: Response, of content: AllowedContent, entryPoint: GateEvent.EntryPoint)
        -> Response
    {
        guard content.reason == .resumption, !ResumptionRule.permits(response) else { return response }
        return DenialHeaders.response(report(.resumptionFromStart, of: content, by: entryPoint).status)
    }

    /// Reports that content is not served although the gate has allowed it.
    @discardableResult
    func report(_ reason: GateDenial.Reason, of content: AllowedContent, by entryPoint: GateEvent.EntryPoint)
        -> GateDenial
    {
        let denial = GateDenial(
            reason, publication: content.publication, edition: content.edition, subscriber: content.subscriber)
        report(denial, by: entryPoint)
        return denial
    }
}
