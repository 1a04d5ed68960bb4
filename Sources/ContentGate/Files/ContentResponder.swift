public import Hummingbird

/// A responder that combines the gate and the file server and responds to each request with content or a denial.
public struct ContentResponder<Context: RequestContext>: HTTPResponder {
    private let evaluator: GateEvaluator
    private let files: FileServer
    private let sender: @Sendable (Context) -> FileSender?

    /// - Parameters:
    ///   - evaluator: The evaluator that decides on requests.
    ///   - files: The server of allowed files.
    ///   - sender: Returns the file sender of the connection of a request, or `nil` if the connection cannot send files
    ///     itself.
    public init(
        _ evaluator: GateEvaluator, files: FileServer,
        sender: @escaping @Sendable (Context) -> FileSender? = { _ in nil }
    ) {
        self.evaluator = evaluator
        self.files = files
        self.sender = sender
    }

    public func respond(to request: Request, context: Context) async throws -> Response {
        await respond(to: request, context)
    }

    private func respond(to request: Request, _ context: Context) async -> Response {
        switch evaluator.evaluate(GateRequest(request), for: .fileServer) {
        case .denied(let denial):
            return DenialHeaders.response(denial.status)
        case .allowed(let content):
            let response = await files.respond(with: content, to: request, sender: sender(context))
            if response.status == .notFound { evaluator.report(.fileMissing, of: content, by: .fileServer) }
            return evaluator.enforcingResumption(response, of: content, entryPoint: .fileServer)
        }
    }
}

extension ContentResponder: RouterMiddleware {
    /// Handles requests below the publications' prefixes and passes on all others, before any router reads the
    /// target.
    public func handle(
        _ request: Request, context: Context, next: @concurrent (Request, Context) async throws -> Response
    ) async throws -> Response {
        guard evaluator.gate.claims(target: request.head.path ?? "") else { return try await next(request, context) }
        return await respond(to: request, context)
    }
}
