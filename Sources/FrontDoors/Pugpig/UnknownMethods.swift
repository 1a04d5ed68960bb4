import Hummingbird

/// Says that a call has no such method, for the methods the router was never told of: it takes them for unknown paths.
struct UnknownMethods<Context: RequestContext>: RouterMiddleware {
    let publications: @Sendable () -> PublicationDirectory

    func handle(
        _ request: Request, context: Context, next: (Request, Context) async throws -> Response
    ) async throws -> Response {
        do {
            return try await next(request, context)
        } catch let error as HTTPError where error.status == .notFound {
            let path = request.uri.path
            let addressed =
                PugpigCall.allCases.lazy.compactMap { $0.publication(in: path) }.first
                ?? PugpigReceiptCall.allCases.lazy.compactMap { $0.publication(in: path) }.first
            if let addressed, publications().proxy(for: addressed) != nil {
                return PugpigResponse.methodNotAllowed()
            }
            throw error
        }
    }
}
