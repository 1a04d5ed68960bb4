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
        addHealth(to: router, readiness: readiness, showsCause: true) {
            await backends.health().map { HealthLine(isGood: $0.isUp, text: $0.line) } + (catalogues?.health() ?? [])
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
            return text(status, message)
        }
        return router
    }

    /// Adds the health routes. `/healthz` reports that the process responds. `/readyz` reports that the server can
    /// work; its state `degraded` means that the server works although a backend is unavailable, a catalogue is
    /// stale, or part of the state is unreadable.
    ///
    /// - Parameters:
    ///   - showsCause: A Boolean value that indicates whether `/readyz` gives the cause, for a listener that
    ///     strangers cannot read.
    ///   - parts: The parts whose health `/readyz` lists, on such a listener as well.
    static func addHealth(
        to router: Router<GatefoldRequestContext>, readiness: @escaping @Sendable () async -> Readiness,
        showsCause: Bool = false,
        parts: @escaping @Sendable () async -> [HealthLine] = { [] }
    ) {
        // Load balancers use either method.
        for method in [HTTPRequest.Method.get, .head] {
            router.on("healthz", method: method) { _, _ in text(.ok, "ok\n") }
            router.on("readyz", method: method) { _, _ in
                let healths = await parts()
                let lines = healths.map { $0.text + "\n" }.joined()
                return switch await readiness() {
                case .ready: text(.ok, (healths.allSatisfy(\.isGood) ? "ready\n" : "degraded\n") + lines)
                case .degraded(let reason): text(.ok, "degraded\n" + reason + "\n" + lines)
                case .notReady(let cause):
                    text(.serviceUnavailable, "not ready\n" + (showsCause ? "state: \(cause)\n" : "") + lines)
                }
            }
        }
    }

    private static func text(_ status: HTTPResponse.Status, _ message: String) -> Response {
        Response(
            status: status, headers: [.contentType: "text/plain; charset=utf-8"],
            body: .init(byteBuffer: ByteBuffer(string: message)))
    }
}
