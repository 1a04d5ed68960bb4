import BackendFixtures
import Foundation
import TestSupport
import Testing

@Suite("Two nodes without their PostgreSQL", .serialized) struct StoreOutageTests {
    private typealias Pair = SharedStatePair

    /// The maximum time until a revocation is in force on the other node, after PostgreSQL has returned.
    private static let bound = Duration.seconds(2)

    private func withPair(_ body: (Pair, PostgreSQLInstance) async throws -> Void) async throws {
        try await withSample { sample in
            try await StateServers.run { servers in
                let pair = try Pair(sample, servers, statePort: servers.instance.port)
                try pair.reader("right")
                try await body(pair, servers.instance)
            }
        }
    }

    private func signOut(_ pair: Pair, _ number: Int, _ token: String) async throws -> Int {
        try await pair.call(number, "sign_out", ["token": token]).status
    }

    @Test("A sign-out takes effect on its node at once, and on the other when PostgreSQL has returned")
    func signOut() async throws {
        try await withPair { pair, postgreSQL async throws in
            try await withServers([pair.launch(0), pair.launch(1)]) { _ async throws in
                let tokens = [try await pair.token(0, "right"), try await pair.token(0, "right")]
                await postgreSQL.server.stop()
                for token in tokens { #expect(try await pair.state(0, token) == "active") }
                #expect(try await signOut(pair, 0, tokens[0]) == 200)
                #expect(try await pair.state(0, tokens[0]) == "unknown")
                for number in [0, 1] { #expect(try await pair.state(number, tokens[1]) == "active") }
                let ready = try await pair.sample.admin.send("GET", "/readyz")
                #expect(ready.status == 503)
                #expect(ready.text.contains("; revocations last read at 20"), "\(ready.text)")
                #expect(ready.text.contains("; journal: 1 entries"), "\(ready.text)")
                #expect(try await metrics(pair).contains("\ngatefold_revocation_journal_entries 1\n"))
                try await postgreSQL.start()
                try await eventually("the session ends on the other node", within: Self.bound) {
                    try await pair.state(1, tokens[0]) == "unknown"
                }
                #expect(try await pair.state(0, tokens[0]) == "unknown")
                for number in [0, 1] { #expect(try await pair.state(number, tokens[1]) == "active") }
                try await eventually("the journal is empty", within: Self.bound) {
                    let metrics = try await metrics(pair)
                    return metrics.contains("\ngatefold_revocation_journal_entries 0\n")
                        && metrics.contains("\ngatefold_revocations_replayed_total 1\n")
                }
                #expect(try journals(pair) == [])
            }
        }
    }

    @Test("A node that is killed with a journal writes it to the state after its restart")
    func killed() async throws {
        try await withPair { pair, postgreSQL async throws in
            try await withServers([pair.launch(1)]) { _ async throws in
                var tokens: [String] = []
                try await withServer(pair.launch(0)) { first async throws in
                    for _ in 0..<20 { tokens.append(try await pair.token(0, "right")) }
                    await postgreSQL.server.stop()
                    for token in tokens.dropLast() { #expect(try await signOut(pair, 0, token) == 200) }
                    first.send(SIGKILL)
                    #expect(await first.end() == -SIGKILL)
                }
                #expect(try journals(pair) == ["revocations.journal"])
                try await postgreSQL.start()
                try await withServer(pair.launch(0)) { _ async throws in
                    for token in tokens.dropLast() { #expect(try await pair.state(0, token) == "unknown") }
                    try await eventually("the sessions end on the other node", within: Self.bound) {
                        for token in tokens.dropLast() where try await pair.state(1, token) != "unknown" {
                            return false
                        }
                        return true
                    }
                    for number in [0, 1] { #expect(try await pair.state(number, tokens[19]) == "active") }
                }
                #expect(try journals(pair) == [])
            }
        }
    }

    private func metrics(_ pair: Pair) async throws -> String {
        try await pair.sample.admin.send("GET", "/metrics").text
    }

    /// Returns the names of the journals of the first node.
    private func journals(_ pair: Pair) throws -> [String] {
        try FileManager.default.contentsOfDirectory(atPath: pair.sample.path("state/node")).filter {
            $0.hasPrefix("revocations.journal")
        }.sorted()
    }
}
