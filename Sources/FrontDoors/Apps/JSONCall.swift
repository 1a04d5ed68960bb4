import Gatefold
import HTTPTypes
import Hummingbird
import Logging

/// A call of a front door that uses JSON. The raw value is its name in the log.
protocol JSONCall: RawRepresentable<String>, Sendable {
    var methods: [HTTPRequest.Method] { get }
    /// The kind of call, for the report of a refusal.
    var refusedCall: RefusedCall { get }
}

extension JSONCall {
    /// Handles a request: runs the body if the call has the method, and turns thrown errors into failures that no
    /// app takes for a result.
    ///
    /// - Parameter publication: The publication of the call, if it is known.
    func respond(
        _ request: Request, _ context: GatefoldRequestContext, of publication: PublicationID? = nil,
        _ body: () async throws -> Response
    ) async -> Response {
        if request.method == .options { return JSONResponse.options(methods) }
        guard methods.contains(request.method) else { return JSONResponse.methodNotAllowed(methods) }
        do {
            return try await body()
        } catch {
            return failure(error, context, of: publication)
        }
    }

    /// Returns the response to an error, and reports the refused call.
    func failure(
        _ error: any Error, _ context: GatefoldRequestContext, of publication: PublicationID? = nil
    ) -> Response {
        let reason = (error as? JSONRejection)?.reason ?? RefusalReason(error)
        context.refuse(Refusal(reason, refusedCall, of: publication))
        switch error {
        case let rejection as JSONRejection: return JSONResponse.error(rejection.status, rejection.message)
        case let rejection as RequestRejection: return JSONResponse.error(rejection.status, rejection.text)
        case let failure as Unavailable: return JSONResponse.unavailable(retryAfter: failure.retryAfter)
        default:
            context.logger.unexpected(error, "Call failed unexpectedly", ["call": "\(rawValue)"])
            return JSONResponse.unavailable(retryAfter: 30)
        }
    }
}
