import FrontDoors
import HTTPTypes
import Hummingbird

/// The routes of the admin listener: health, metrics and the operator commands. They require no authentication, so
/// the listener must not be reachable from outside.
enum AdminRouter {
    static func make(
        metrics: PrometheusRegistry, readiness: @escaping @Sendable () async -> Readiness,
        backends: BackendAdministration, catalogues: CatalogueAdministration? = nil,
        push: PushAdministration? = nil
    ) -> Router<GatefoldRequestContext> {
        let router = Router(context: GatefoldRequestContext.self)
        router.add(middleware: HeadMiddleware())
        router.add(middleware: NoCacheMiddleware())
        router.add(middleware: TargetFormMiddleware())
        let health = HealthEndpoint(readiness: readiness, showsCause: true) {
            await backends.health().map { HealthLine(isGood: $0.isUp, text: $0.line) } + (catalogues?.health() ?? [])
        }
        for method in HealthEndpoint.methods {
            router.on("healthz", method: method) { _, _ in health.liveness() }
            router.on("readyz", method: method) { _, _ in await health.readiness() }
        }
        router.get("metrics") { _, _ in
            backends.measure()
            catalogues?.measure()
            await push?.measure()
            return Response(
                status: .ok, headers: [.contentType: "text/plain; version=0.0.4; charset=utf-8"],
                body: .init(byteBuffer: ByteBuffer(string: metrics.exposition())))
        }
        router.post("backends/{name}/flush") { request, context in
            let (status, message) = try await FlushRequest.respond(
                request, try context.parameters.require("name"), backends)
            return Response(status, text: message)
        }
        return router
    }
}
