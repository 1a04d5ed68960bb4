public import FrontDoors
public import Gatefold
public import Hummingbird
import Logging

/// A middleware that writes a log line and a measurement for each request. They exclude the query and the body,
/// because credentials are there.
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
        // The label is the route's pattern and not the path, because a metric must not grow with the paths that
        // clients request. Hummingbird's names for a missing route have no slash.
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
