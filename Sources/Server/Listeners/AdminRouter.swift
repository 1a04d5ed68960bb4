import FrontDoors
import Hummingbird

/// The admin listener: health and metrics, for the machines that look after this one.
enum AdminRouter {
    static func make(
        metrics: PrometheusRegistry, readiness: @escaping @Sendable () async -> Readiness
    ) -> Router<GatefoldRequestContext> {
        let router = Router(context: GatefoldRequestContext.self)
        router.add(middleware: NoCacheMiddleware())
        addHealth(to: router, readiness: readiness)
        router.get("metrics") { _, _ in
            Response(
                status: .ok, headers: [.contentType: "text/plain; version=0.0.4; charset=utf-8"],
                body: .init(byteBuffer: ByteBuffer(string: metrics.exposition())))
        }
        return router
    }

    /// `/healthz` says that the process answers, `/readyz` that it can do its work.
    static func addHealth(
        to router: Router<GatefoldRequestContext>, readiness: @escaping @Sendable () async -> Readiness
    ) {
        router.get("healthz") { _, _ in text(.ok, "ok\n") }
        router.get("readyz") { _, _ in
            switch await readiness() {
            case .ready: text(.ok, "ready\n")
            case .notReady: text(.serviceUnavailable, "not ready\n")
            }
        }
    }

    private static func text(_ status: HTTPResponse.Status, _ words: String) -> Response {
        Response(
            status: status, headers: [.contentType: "text/plain; charset=utf-8"],
            body: .init(byteBuffer: ByteBuffer(string: words)))
    }
}

/// Whether the server can do its work at present.
enum Readiness: Sendable {
    case ready
    case notReady
}
