import HTTPTypes
public import Hummingbird

/// Takes the body off every answer to HEAD (RFC 9110 section 9.3.2), its length left standing: on a connection that is kept
/// whatever came after the head would be read as the next answer.
public struct HeadMiddleware<Context: RequestContext>: RouterMiddleware {
    public init() {}

    public func handle(
        _ request: Request, context: Context, next: (Request, Context) async throws -> Response
    ) async throws -> Response {
        let response = try await next(request, context)
        return request.method == .head ? response.createHeadResponse() : response
    }
}
