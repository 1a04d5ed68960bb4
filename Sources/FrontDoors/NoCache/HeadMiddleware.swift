import HTTPTypes
public import Hummingbird

/// A middleware that removes the body of every response to HEAD and retains its length (RFC 9110 section 9.3.2). On
/// a persistent connection, the client would read bytes after the head as the next response.
public struct HeadMiddleware<Context: RequestContext>: RouterMiddleware {
    public init() {}

    public func handle(
        _ request: Request, context: Context, next: (Request, Context) async throws -> Response
    ) async throws -> Response {
        let response = try await next(request, context)
        return request.method == .head ? response.createHeadResponse() : response
    }
}
