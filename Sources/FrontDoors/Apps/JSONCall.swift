import Gatefold
import HTTPTypes
import Hummingbird
import Logging

/// A call of a front door that speaks JSON; the raw value is its name in the log.
protocol JSONCall: RawRepresentable<String>, Sendable {
    var methods: [HTTPRequest.Method] { get }
}

extension JSONCall {
    /// Answers a request: by the body where the call has its method, and whatever the body throws as a failure that no app takes
    /// for an answer.
    func answer(
        _ request: Request, _ context: some RequestContext, _ body: () async throws -> Response
    ) async -> Response {
        if request.method == .options { return JSONAnswer.options(methods) }
        guard methods.contains(request.method) else { return JSONAnswer.methodNotAllowed(methods) }
        do {
            return try await body()
        } catch {
            return failure(error, context)
        }
    }

    func failure(_ error: any Error, _ context: some RequestContext) -> Response {
        switch error {
        case let refusal as RequestRefusal: return JSONAnswer.refused(refusal)
        case let failure as Unavailable: return JSONAnswer.unavailable(failure)
        default:
            context.logger.unexpected(error, "A call failed unexpectedly", ["call": "\(rawValue)"])
            return JSONAnswer.unavailable(Unavailable(retryAfter: 30, cause: ""))
        }
    }
}
