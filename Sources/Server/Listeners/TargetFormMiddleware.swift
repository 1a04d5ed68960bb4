import HTTPTypes
import Hummingbird

/// Refuses a request whose target has none of the forms that there are: `/path`, `*` for OPTIONS, and a whole `http` or `https`
/// address (RFC 9112 section 3.2, RFC 9113 section 8.3.1).
///
/// The parser of HTTP/1 refuses most others itself. That of HTTP/2 does not, and the router would take `healthz` for `/healthz`, which
/// rules about paths in front of it or behind it need not.
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
