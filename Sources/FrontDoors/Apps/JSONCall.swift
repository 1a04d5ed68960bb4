import Gatefold
import HTTPTypes
import Hummingbird
import Logging

/// A call of a front door that uses JSON. The raw value is its name in the log.
protocol JSONCall: RawRepresentable<String>, Sendable {
    var methods: [HTTPRequest.Method] { get }
}

extension JSONCall {
    /// Handles a request: runs the body if the call has the method, and turns thrown errors into failures that no
    /// app takes for a result.
    func respond(
        _ request: Request, _ context: some RequestContext, _ body: () async throws -> Response
    ) async -> Response {
        if request.method == .options { return JSONResponse.options(methods) }
        guard methods.contains(request.method) else { return JSONResponse.methodNotAllowed(methods) }
        do {
            return try await body()
        } catch {
            return failure(error, context)
        }
    }

    func failure(_ error: any Error, _ context: some RequestContext) -> Response {
        switch error {
        case let rejection as RequestRejection: return JSONResponse.rejected(rejection)
        case let failure as Unavailable: return JSONResponse.unavailable(failure)
        default:
            context.logger.unexpected(error, "Call failed unexpectedly", ["call": "\(rawValue)"])
            return JSONResponse.unavailable(Unavailable(retryAfter: 30, cause: ""))
        }
    }
}
