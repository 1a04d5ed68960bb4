import FrontDoors
import HTTPTypes
import Hummingbird

/// The admin listener: health, metrics and the operator's few commands. It asks nobody who they are and so must not be
/// reachable from outside.
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
        addHealth(to: router, readiness: readiness, namesCause: true) {
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
            let (status, words) = try await FlushRequest.answer(
                request, try context.parameters.require("name"), backends)
            return text(status, words)
        }
        return router
    }

    /// `/healthz` says that the process answers, `/readyz` that it can do its work; `degraded` that it does so although a
    /// backend can not be asked, a catalogue is old, or some of the state can not be read.
    ///
    /// - Parameters:
    ///   - namesCause: whether `/readyz` says why, where strangers do not read it.
    ///   - parts: of which `/readyz` speaks, there as well.
    static func addHealth(
        to router: Router<GatefoldRequestContext>, readiness: @escaping @Sendable () async -> Readiness,
        namesCause: Bool = false,
        parts: @escaping @Sendable () async -> [HealthLine] = { [] }
    ) {
        // Load balancers ask by either method.
        for method in [HTTPRequest.Method.get, .head] {
            router.on("healthz", method: method) { _, _ in text(.ok, "ok\n") }
            router.on("readyz", method: method) { _, _ in
                let healths = await parts()
                let lines = healths.map { $0.text + "\n" }.joined()
                return switch await readiness() {
                case .ready: text(.ok, (healths.allSatisfy(\.isGood) ? "ready\n" : "degraded\n") + lines)
                case .degraded(let reason): text(.ok, "degraded\n" + reason + "\n" + lines)
                case .notReady(let cause):
                    text(.serviceUnavailable, "not ready\n" + (namesCause ? "state: \(cause)\n" : "") + lines)
                }
            }
        }
    }

    private static func text(_ status: HTTPResponse.Status, _ words: String) -> Response {
        Response(
            status: status, headers: [.contentType: "text/plain; charset=utf-8"],
            body: .init(byteBuffer: ByteBuffer(string: words)))
    }
}
