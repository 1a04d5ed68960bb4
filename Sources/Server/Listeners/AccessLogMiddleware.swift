public import Gatefold
public import Hummingbird
import Logging
import Metrics

/// One log line and one measurement a request. The query and the body, where credentials are, are not in it.
public struct AccessLogMiddleware: RouterMiddleware {
    private let client: @Sendable (Request, GatefoldRequestContext) -> ClientAddress?

    public init(client: @escaping @Sendable (Request, GatefoldRequestContext) -> ClientAddress?) {
        self.client = client
    }

    public func handle(
        _ request: Request, context: GatefoldRequestContext,
        next: (Request, GatefoldRequestContext) async throws -> Response
    ) async throws -> Response {
        let start = ContinuousClock.now
        let response = try await next(request, context)
        let elapsed = ContinuousClock.now - start
        // The route's pattern, not the path: a metric must not grow with what strangers ask for.
        // Hummingbird has names without a slash for having none.
        let route = context.endpointPath.flatMap { $0.hasPrefix("/") ? $0 : nil } ?? "none"
        let status = "\(response.status.code)"
        Timer(label: "gatefold_request_duration", dimensions: [("route", route), ("method", Self.known(request))])
            .recordNanoseconds(elapsed.nanoseconds)
        Counter(label: "gatefold_requests_total", dimensions: [("route", route), ("status", status)]).increment()
        context.logger.info(
            "request",
            metadata: [
                "method": "\(Self.known(request))", "path": "\(LoggedPath.of(request.uri.path, route: route))",
                "status": "\(status)", "client": "\(client(request, context).map(\.description) ?? "-")",
                "milliseconds": "\(elapsed.nanoseconds / 1_000_000)",
            ])
        return response
    }

    private static func known(_ request: Request) -> String {
        switch request.method {
        case .get, .head, .post, .put, .delete, .options, .patch: request.method.rawValue
        default: "other"
        }
    }
}

extension Duration {
    var nanoseconds: Int64 {
        components.seconds &* 1_000_000_000 &+ components.attoseconds / 1_000_000_000
    }
}
