import FrontDoors
import HTTPTypes
import Hummingbird

/// The health of the server. `/healthz` reports that the process responds. `/readyz` reports that the server can work;
/// its state `degraded` means that the server works although a backend is unavailable, a catalogue is stale, or part of
/// the state is unreadable.
struct HealthEndpoint: Sendable {
    /// The methods of both routes. Load balancers use either.
    static let methods: [HTTPRequest.Method] = [.get, .head]

    private let currentReadiness: @Sendable () async -> Readiness
    private let showsCause: @Sendable (GatefoldRequestContext) -> Bool
    private let parts: @Sendable () async -> [HealthLine]

    /// - Parameters:
    ///   - readiness: Returns the readiness of the server.
    ///   - showsCause: Returns whether `/readyz` gives the cause to a client, who must not be a stranger.
    ///   - parts: The parts whose health `/readyz` lists, on a listener that strangers cannot read.
    init(
        readiness: @escaping @Sendable () async -> Readiness,
        showsCause: @escaping @Sendable (GatefoldRequestContext) -> Bool = { _ in false },
        parts: @escaping @Sendable () async -> [HealthLine] = { [] }
    ) {
        currentReadiness = readiness
        self.showsCause = showsCause
        self.parts = parts
    }

    func liveness() -> Response { Response(.ok, text: "ok\n") }

    func readiness(for context: GatefoldRequestContext) async -> Response {
        let healths = await parts()
        let lines = healths.map { $0.text + "\n" }.joined()
        return switch await currentReadiness() {
        case .ready: Response(.ok, text: (healths.allSatisfy(\.isGood) ? "ready\n" : "degraded\n") + lines)
        case .degraded(let reason): Response(.ok, text: "degraded\n" + reason + "\n" + lines)
        case .draining: Response(.serviceUnavailable, text: "draining\n" + lines)
        case .notReady(let cause):
            Response(
                .serviceUnavailable,
                text: "not ready\n" + (showsCause(context) ? "state: \(cause)\n" : "") + lines)
        }
    }
}

extension Routes {
    mutating func add(_ health: HealthEndpoint) {
        on("/healthz", methods: .only(HealthEndpoint.methods)) { _, _ in health.liveness() }
        on("/readyz", methods: .only(HealthEndpoint.methods)) { _, context in
            await health.readiness(for: context)
        }
    }
}

extension Response {
    /// Creates a response with a text for operators.
    init(_ status: HTTPResponse.Status, text: String) {
        self.init(
            status: status, headers: [.contentType: "text/plain; charset=utf-8"],
            body: .init(byteBuffer: ByteBuffer(string: text)))
    }
}
