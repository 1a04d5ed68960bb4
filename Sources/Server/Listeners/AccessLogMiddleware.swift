public import Gatefold
public import Hummingbird
import Logging

/// One log line and one measurement a request. The query and the body, where credentials are, are not in it.
public struct AccessLogMiddleware: RouterMiddleware {
    private let client: @Sendable (Request, GatefoldRequestContext) -> ClientAddress?
    private let log = AccessLog()

    public init(client: @escaping @Sendable (Request, GatefoldRequestContext) -> ClientAddress?) {
        self.client = client
    }

    public func handle(
        _ request: Request, context: GatefoldRequestContext,
        next: (Request, GatefoldRequestContext) async throws -> Response
    ) async throws -> Response {
        let start = ContinuousClock.now
        let response = try await next(request, context)
        // The route's pattern, not the path: a metric must not grow with what strangers ask for.
        // Hummingbird has names without a slash for having none.
        let route = context.endpointPath.flatMap { $0.hasPrefix("/") ? $0 : nil } ?? LoggedPath.noRoute
        log.record(
            AccessLog.Entry(
                route: route, method: request.method.rawValue, path: request.uri.path[...], status: response.status,
                elapsed: ContinuousClock.now - start),
            logger: context.logger, client: { client(request, context) })
        return response
    }
}

extension Duration {
    var nanoseconds: Int64 {
        components.seconds &* 1_000_000_000 &+ components.attoseconds / 1_000_000_000
    }
}
