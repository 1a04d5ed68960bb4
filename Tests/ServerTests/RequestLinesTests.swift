import ContentGate
import FrontDoors
import Gatefold
import Hummingbird
import HummingbirdTesting
import Logging
import Synchronization
import TestSupport
import Testing

@testable import Server

@Suite("The lines of a request")
struct RequestLinesTests {
    private final class Lines: Sendable {
        private let all = Mutex<[String]>([])
        var value: [String] { all.withLock { $0 } }
        func add(_ line: String) { all.withLock { $0.append(line) } }
    }

    private func lines(_ path: String, method: HTTPRequest.Method = .get) async throws -> [String] {
        let clock = ManualClock()
        let set = PublicationSet(
            directory: PublicationDirectory(), gate: try Gate([], clock: clock.wall), backends: OpenBackends(),
            clients: ClientAddressResolver(trusted: []), revocationRetention: 0)
        let lines = Lines()
        let router = MainRouter.make(
            publications: CurrentPublications(set), clock: clock.wall, readiness: { .ready })
        let application = Application(
            router: router, configuration: .init(address: .hostname("127.0.0.1", port: 0)),
            logger: Logger(label: "test") { LineLogHandler(label: $0, level: .info, form: .text) { lines.add($0) } })
        try await application.test(.live) { client in
            _ = try await client.execute(uri: path, method: method)
        }
        return lines.value.filter { $0.contains(" request=") }
    }

    @Test("all carry its id")
    func oneID() async throws {
        let lines = try await lines("/auth-request/original-uri")
        #expect(lines.count == 2)
        #expect(lines.first?.contains("content refused") == true)
        #expect(Set(lines.map { $0.matches(of: /request=([0-9a-f]+)/).first.map { String($0.1) } }).count == 1)
    }

    @Test(
        "are written for a refusal, too",
        arguments: [
            ("/nothing-here", HTTPRequest.Method.get, "404"), ("/healthz", .put, "404"), ("/a?b=1", .get, "404"),
        ])
    func refusals(path: String, method: HTTPRequest.Method, status: String) async throws {
        let lines = try await lines(path, method: method)
        #expect(lines.count == 1)
        #expect(lines.first?.contains("status=\(status)") == true)
    }

    @Test("Pitfall 20: hold no query")
    func noQuery() async throws {
        let lines = try await lines("/sign_in?email=ada&password=marker-7f")
        #expect(!lines.isEmpty)
        #expect(!lines.contains { $0.contains("marker-7f") })
    }
}
