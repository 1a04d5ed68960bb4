import GRDB
import TestSupport
import Testing

@Suite("Pitfall 31: a revocation that can not be read, in the whole program", .serialized)
struct UnreadableRevocationTests {
    /// Two sessions ended, and then the row of the first damaged.
    private func withDamage(_ body: (Sample, _ tokens: [String]) async throws -> Void) async throws {
        try await withSample { sample in
            var tokens: [String] = []
            try await withServer(sample.launch) { _ in
                for reader in [sample.newReader(), sample.newReader(), sample.newReader()] {
                    tokens.append(try await sample.signIn(reader))
                }
                for token in tokens.prefix(2) { _ = try await sample.call("sign_out", ["token": token]) }
            }
            try await sample.database("state").write { db in
                try db.execute(
                    sql:
                        "UPDATE revocation SET subscriber = x'00' WHERE sequence = (SELECT min(sequence) FROM revocation)"
                )
            }
            try await body(sample, tokens)
        }
    }

    @Test("does not keep the server from starting, which says that it is degraded, and ends all others")
    func start() async throws {
        try await withDamage { sample, tokens in
            try await withServer(sample.launch) { _ in
                #expect(try await sample.state(of: tokens[1]) == "unknown")
                #expect(try await sample.state(of: tokens[2]) == "active")
                for http in [sample.http, sample.admin] {
                    let ready = try await http.send("GET", "/readyz")
                    #expect(ready.status == 200)
                    #expect(ready.text.hasPrefix("degraded\nrevocations that can not be read: 1\n"), "\(ready.text)")
                }
                let metrics = try await sample.admin.send("GET", "/metrics").text
                #expect(metrics.contains("\ngatefold_revocations_unreadable 1"))
                // A process beside it can end sessions all the same.
                try await sample.succeed(["token", "revoke", "--token", "-"], input: tokens[2])
                let isEnded = try await eventually(within: .seconds(2)) {
                    try await sample.state(of: tokens[2]) == "unknown"
                }
                #expect(isEnded)
                try await sample.database("state").write { db in
                    try db.execute(sql: "DELETE FROM revocation WHERE length(subscriber) <> 7")
                }
                let isWell = try await eventually(within: .seconds(3)) {
                    try await sample.http.send("GET", "/readyz").text.hasPrefix("ready\n")
                }
                #expect(isWell)
            }
        }
    }
}
