public import Hummingbird
import Logging
import NIOHTTP1

/// A middleware that adds ``NoCacheHeaders`` to the responses of a router, including its errors.
public struct NoCacheMiddleware<Context: RequestContext>: RouterMiddleware {
    public init() {}

    public func handle(
        _ request: Request, context: Context, next: (Request, Context) async throws -> Response
    ) async throws -> Response {
        var response: Response
        do {
            response = try await next(request, context)
        } catch let error as any HTTPResponseError {
            response = try error.response(from: request, context: context)
        } catch let error as HTTPParserError {
            // The server responds to these errors itself and closes the connection.
            throw error
        } catch {
            context.logger.unexpected(error, "Request failed unexpectedly")
            response = Response(status: .internalServerError)
        }
        NoCacheHeaders.applyUnlessSet(to: &response.headers)
        return response
    }
}
