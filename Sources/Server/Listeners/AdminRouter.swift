import FrontDoors
import Hummingbird

/// The admin listener: health and metrics, for the machines that look after this one.
enum AdminRouter {
    static func make(
        metrics: PrometheusRegistry, readiness: @escaping @Sendable () async -> Readiness,
        backends: @escaping @Sendable () async -> [BackendHealth]
    ) -> Router<GatefoldRequestContext> {
        let router = Router(context: GatefoldRequestContext.self)
        router.add(middleware: NoCacheMiddleware())
        addHealth(to: router, readiness: readiness) {
            await backends().map { "backend \($0.name): \($0.isUp ? "ok" : "can not be asked")\n" }.joined()
        }
        router.get("metrics") { _, _ in
            Response(
                status: .ok, headers: [.contentType: "text/plain; version=0.0.4; charset=utf-8"],
                body: .init(byteBuffer: ByteBuffer(string: metrics.exposition())))
        }
        return router
    }

    /// `/healthz` says that the process answers, `/readyz` that it can do its work.
    ///
    /// - Parameter details: what `/readyz` says further, where strangers do not read it.
    static func addHealth(
        to router: Router<GatefoldRequestContext>, readiness: @escaping @Sendable () async -> Readiness,
        details: @escaping @Sendable () async -> String = { "" }
    ) {
        router.get("healthz") { _, _ in text(.ok, "ok\n") }
        router.get("readyz") { _, _ in
            switch await readiness() {
            case .ready: text(.ok, "ready\n" + (await details()))
            case .notReady: text(.serviceUnavailable, "not ready\n" + (await details()))
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

/// Whether a subscriber backend can be asked at present.
struct BackendHealth: Sendable {
    let name: String
    let isUp: Bool
}
