public import Hummingbird

/// The gate and the file server together: answers every request with content or a refusal.
public struct ContentResponder<Context: RequestContext>: HTTPResponder {
    private let keeper: GateKeeper
    private let files: FileServer
    private let sender: @Sendable (Context) -> FileSender?

    /// - Parameter sender: of the connection that a request came by, where it may send files itself.
    public init(
        _ keeper: GateKeeper, files: FileServer, sender: @escaping @Sendable (Context) -> FileSender? = { _ in nil }
    ) {
        self.keeper = keeper
        self.files = files
        self.sender = sender
    }

    public func respond(to request: Request, context: Context) async throws -> Response {
        await answer(to: request, context)
    }

    private func answer(to request: Request, _ context: Context) async -> Response {
        switch keeper.decide(GateRequest(request), for: .fileServer) {
        case .refused(let refusal):
            return RefusalHeaders.response(refusal.status)
        case .allowed(let content):
            let response = await files.respond(with: content, to: request, sender: sender(context))
            return keeper.holdingToResumption(response, of: content, carrier: .fileServer)
        }
    }
}

extension ContentResponder: RouterMiddleware {
    /// Answers below the publications' prefixes and passes everything else on, before any router reads the target.
    public func handle(
        _ request: Request, context: Context, next: (Request, Context) async throws -> Response
    ) async throws -> Response {
        guard keeper.gate.claims(target: request.head.path ?? "") else { return try await next(request, context) }
        return await answer(to: request, context)
    }
}
