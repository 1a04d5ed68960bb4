import Hummingbird

/// A middleware that responds with 405 to methods that have no route, because the router treats them as unknown
/// paths.
struct UnknownMethodMiddleware<Context: RequestContext>: RouterMiddleware {
    let publications: @Sendable () -> PublicationDirectory

    func handle(
        _ request: Request, context: Context, next: (Request, Context) async throws -> Response
    ) async throws -> Response {
        do {
            return try await next(request, context)
        } catch let error as HTTPError where error.status == .notFound {
            let path = request.uri.path
            let selector =
                PugpigCall.allCases.lazy.compactMap { $0.publication(in: path) }.first
                ?? PugpigReceiptCall.allCases.lazy.compactMap { $0.publication(in: path) }.first
            if let selector, publications().authorizationService(for: selector) != nil {
                return PugpigResponse.methodNotAllowed()
            }
            throw error
        }
    }
}
