import BackendFixtures
import Foundation
import TestSupport
import Testing

@Suite("Two nodes without their PostgreSQL", .serialized) struct StoreOutageTests {
    private typealias Pair = SharedStatePair

    /// The maximum time until a revocation is in force on the other node, after PostgreSQL has returned.
    private static let bound = Duration.seconds(2)

    /// - Parameter settings: Further lines of the publication.
    private func withPair(
        _ settings: String = "", announces: Bool = false, encrypts: Bool = false,
        _ body: (Pair, PostgreSQLInstance) async throws -> Void
    ) async throws {
        try await withSample { sample in
            try await StateServers.run { servers in
                let pair = try Pair(
                    sample, servers, statePort: servers.instance.port, settings: settings, announces: announces,
                    encrypts: encrypts)
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
                #expect(try await metrics(pair).contains("\ngatefold_revocation_journal_entries 1"))
                try await postgreSQL.start()
                try await eventually("the session ends on the other node", within: Self.bound) {
                    try await pair.state(1, tokens[0]) == "unknown"
                }
                #expect(try await pair.state(0, tokens[0]) == "unknown")
                for number in [0, 1] { #expect(try await pair.state(number, tokens[1]) == "active") }
                try await eventually("the journal is empty", within: Self.bound) {
                    let metrics = try await metrics(pair)
                    return metrics.contains("\ngatefold_revocation_journal_entries 0")
                        && metrics.contains("\ngatefold_revocations_replayed_total 1")
                }
                #expect(try journals(pair) == [])
            }
        }
    }

    @Test(
        "Nodes that know each other's URL end a session everywhere before its sign-out is acknowledged, also in an outage"
    )
    func announcement() async throws {
        try await withPair(announces: true) { pair, postgreSQL async throws in
            try await withServers([pair.launch(0), pair.launch(1)]) { _ async throws in
                let tokens = [try await pair.token(0, "right"), try await pair.token(0, "right")]
                for token in tokens { #expect(try await pair.state(1, token) == "active") }
                // A node knows another one by its second heartbeat.
                try await eventually("the first node knows the second", within: .seconds(5)) {
                    try await metrics(pair).contains("\ngatefold_peers 1")
                }
                #expect(try await signOut(pair, 0, tokens[0]) == 200)
                #expect(try await pair.state(1, tokens[0]) == "unknown")
                await postgreSQL.server.stop()
                #expect(try await signOut(pair, 0, tokens[1]) == 200)
                #expect(try await pair.state(1, tokens[1]) == "unknown")
                #expect(
                    try await metrics(pair).contains("\ngatefold_peer_messages_total{result=\"accepted\"} 2"))
                let forged = try await pair.sample.admin.post(
                    "/revocations", [("Content-Type", "application/octet-stream")], Array(repeating: 7, count: 120))
                #expect(forged.status == 403)
                let long = try await pair.sample.admin.post(
                    "/revocations", [("Content-Type", "application/octet-stream")], Array(repeating: 7, count: 70_000))
                #expect(long.status == 413)
            }
        }
    }

    @Test("Nodes announce the end of a session also to admin listeners with TLS")
    func encryptedAnnouncement() async throws {
        try await withPair(announces: true, encrypts: true) { pair, _ async throws in
            let made = try await CommandRun.of(
                "openssl",
                [
                    "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes", "-days", "2",
                    "-subj", "/CN=node", "-addext", "subjectAltName=IP:127.0.0.1", "-keyout", "key.pem", "-out",
                    "chain.pem",
                ], in: pair.sample.folder)
            try #require(made.status == 0, "\(made.errors)")
            func metrics() async throws -> String {
                try await CommandRun.of(
                    "curl",
                    [
                        "-q", "--silent", "--cacert", "chain.pem", "--max-time", "20",
                        "https://127.0.0.1:\(pair.sample.adminPort)/metrics",
                    ], in: pair.sample.folder
                ).output
            }
            try await withServers([pair.launch(0), pair.launch(1)]) { _ async throws in
                let token = try await pair.token(0, "right")
                #expect(try await pair.state(1, token) == "active")
                try await eventually("the first node knows the second", within: .seconds(5)) {
                    try await metrics().contains("\ngatefold_peers 1")
                }
                #expect(try await signOut(pair, 0, token) == 200)
                #expect(try await pair.state(1, token) == "unknown")
                #expect(try await metrics().contains("\ngatefold_peer_messages_total{result=\"accepted\"} 1"))
                let flushed = try await pair.sample.gatefold(["backends", "flush", "house", "--all"])
                #expect(flushed.status == 0, "\(flushed)")
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

    @Test("A node that restarts in an outage has all earlier revocations and those of its journal")
    func restarted() async throws {
        try await withPair { pair, postgreSQL async throws in
            try await withServers([pair.launch(1)]) { _ async throws in
                var tokens: [String] = []
                try await withServer(pair.launch(0)) { first async throws in
                    for _ in 0..<4 { tokens.append(try await pair.token(0, "right")) }
                    // The revocation of the other node reaches this node, and its disk, before the outage.
                    #expect(try await signOut(pair, 1, tokens[0]) == 200)
                    try await eventually("the session ends", within: Self.bound) {
                        try await pair.state(0, tokens[0]) == "unknown"
                    }
                    await postgreSQL.server.stop()
                    #expect(try await signOut(pair, 0, tokens[1]) == 200)
                    // The first failed poll writes the snapshot.
                    try await Task.sleep(for: .seconds(5))
                    first.send(SIGKILL)
                    #expect(await first.end() == -SIGKILL)
                }
                for round in 0..<2 {
                    try await withServer(pair.launch(0)) { _ async throws in
                        #expect(try await pair.state(0, tokens[0]) == "unknown")
                        #expect(try await pair.state(0, tokens[1]) == "unknown")
                        #expect(try await pair.state(0, tokens[3]) == "active")
                        if round == 0 {
                            #expect(try await signOut(pair, 0, tokens[2]) == 200)
                            return
                        }
                        #expect(try await pair.state(0, tokens[2]) == "unknown")
                        #expect(try await pair.isIssued(0, tokens[3]))
                        try await postgreSQL.start()
                        for token in tokens[1...2] {
                            try await eventually("a journaled revocation is in force", within: .seconds(3)) {
                                try await pair.state(1, token) == "unknown"
                            }
                        }
                        try await eventually("the node is ready", within: .seconds(3)) {
                            try await pair.sample.admin.send("GET", "/readyz").text.hasPrefix("ready\n")
                        }
                        // The node follows the other one again.
                        #expect(try await signOut(pair, 1, tokens[3]) == 200)
                        try await eventually("the session ends", within: Self.bound) {
                            try await pair.state(0, tokens[3]) == "unknown"
                        }
                    }
                }
                #expect(try journals(pair) == [])
            }
        }
    }

    @Test("A second server does not start in the folder of a node")
    func sharedFolder() async throws {
        try await withPair { pair, _ async throws in
            let second = try String(contentsOfFile: pair.sample.path("second.yaml"), encoding: .utf8)
            try pair.sample.write("second.yaml", second.replacing("state/second-node", with: "state/node"))
            try await withServer(pair.launch(0)) { _ async throws in
                let run = try await CommandRun.of(
                    "timeout", ["30", GatefoldProgram.path, "serve", "--config", "second.yaml"], in: pair.sample.folder)
                #expect(run.status == 69)
                #expect(run.errors.contains("another server uses the folder"), "\(run.errors)")
            }
        }
    }

    @Test("A node does not start in an outage without a snapshot, or with a damaged one")
    func unusableSnapshot() async throws {
        try await withPair { pair, postgreSQL async throws in
            try await withServer(pair.launch(0)) { _ async throws in _ = try await pair.token(0, "right") }
            await postgreSQL.server.stop()
            let snapshot = URL(fileURLWithPath: pair.sample.path("state/node/revocations.snapshot"))
            var bytes = try Data(contentsOf: snapshot)
            try await withServer(pair.launch(0)) { _ async throws in
                #expect(try await pair.call(0, "verify_subscription", ["token": ""]).attribute("state") == "stale")
            }
            bytes[bytes.count - 1] ^= 1
            for problem in ["it is incomplete or damaged", "it does not exist"] {
                if problem.contains("damaged") {
                    try bytes.write(to: snapshot)
                } else {
                    try FileManager.default.removeItem(at: snapshot)
                }
                let run = try await CommandRun.of(
                    GatefoldProgram.path, ["serve", "--config", "gatefold.yaml"], in: pair.sample.folder)
                #expect(run.status != 0)
                #expect(run.errors.contains("the snapshot of revocations cannot be used: \(problem)"), "\(run.errors)")
            }
        }
    }

    @Test("After max_revocation_age a node verifies readers and ends sessions, and opens nothing, also after a restart")
    func outdated() async throws {
        try await withPair("    max_revocation_age: 10s\n") { pair, postgreSQL async throws in
            var tokens: [String] = []
            func expectOutdated() async throws {
                let response = try await pair.signIn(0, "right")
                #expect(response.status == 503)
                #expect(response["Retry-After"] != nil)
                #expect(try await pair.call(0, "renew_token", ["token": tokens[0]]).status == 503)
                #expect(try await !pair.isIssued(0, tokens[0]))
                #expect(try await pair.state(0, tokens[0]) == "active")
            }
            try await withServer(pair.launch(0)) { _ async throws in
                for _ in 0..<2 { tokens.append(try await pair.token(0, "right")) }
                await postgreSQL.server.stop()
                #expect(try await pair.isIssued(0, tokens[0]))
                try await eventually("the limit is exceeded", within: .seconds(14)) {
                    try await pair.sample.admin.send("GET", "/readyz").text.contains(
                        "max_revocation_age exceeded: shared")
                }
                try await expectOutdated()
                #expect(try await signOut(pair, 0, tokens[1]) == 200)
            }
            try await withServer(pair.launch(0)) { _ async throws in
                try await expectOutdated()
                #expect(try await pair.state(0, tokens[1]) == "unknown")
                try await postgreSQL.start()
                try await eventually("the node opens editions again", within: .seconds(3)) {
                    try await pair.isIssued(0, tokens[0])
                }
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
