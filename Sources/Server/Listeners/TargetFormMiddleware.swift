import FrontDoors
import HTTPTypes
import Hummingbird

/// A middleware that rejects a request whose target has none of the valid forms: `/path`, `*` for OPTIONS, or a
/// complete `http` or `https` URL (RFC 9112 section 3.2, RFC 9113 section 8.3.1).
///
/// The HTTP/1 parser rejects most other forms. The HTTP/2 parser does not, and the router would treat `healthz` as
/// `/healthz`, while path rules in front of the router or behind it may treat them differently.
struct TargetFormMiddleware: RouterMiddleware {
    typealias Context = GatefoldRequestContext

    func handle(
        _ request: Request, context: GatefoldRequestContext,
        next: (Request, GatefoldRequestContext) async throws -> Response
    ) async throws -> Response {
        guard Self.hasForm(request.head.path ?? "", method: request.method) else {
            return Response(status: .badRequest)
        }
        return try await next(request, context)
    }

    static func hasForm(_ target: String, method: HTTPRequest.Method) -> Bool {
        if target.utf8.first == UInt8(ascii: "/") { return true }
        if target == "*" { return method == .options }
        let scheme = target.prefix(8).lowercased()
        return scheme.hasPrefix("http://") || scheme == "https://"
    }
}
