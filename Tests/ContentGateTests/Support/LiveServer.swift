import ContentGate
import Hummingbird
import HummingbirdTesting
import Logging
import TestSupport
import Testing

/// Serves content behind the gate on a real port, with `ContentResponder` as the whole server.
func withContentServer(
    _ fixture: GateFixture, observer: @escaping @Sendable (GateEvent) -> Void = { _ in },
    _ body: @escaping @Sendable (RawClient) async throws -> Void
) async throws {
    let responder = ContentResponder<BasicRequestContext>(
        GateEvaluator(fixture.gate, observer: observer), files: FileServer(clock: fixture.clock.wall))
    try await withServer(responder, body)
}

func withServer(
    _ responder: some HTTPResponder<BasicRequestContext>, _ body: @escaping @Sendable (RawClient) async throws -> Void
) async throws {
    let application = Application(
        responder: responder, server: .channelRetaining, configuration: .init(address: .hostname("127.0.0.1", port: 0)),
        logger: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() })
    try await application.test(.live) { client in
        try await body(RawClient(port: try #require(client.port)))
    }
}
