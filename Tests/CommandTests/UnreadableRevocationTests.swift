import GRDB
import TestSupport
import Testing

@Suite("Pitfall 31: unreadable revocation in the whole program", .serialized)
struct UnreadableRevocationTests {
    /// Ends two sessions and then damages the row of the first one.
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

    @Test("The server starts degraded and applies all other revocations")
    func start() async throws {
        try await withDamage { sample, tokens in
            try await withServer(sample.launch) { _ in
                #expect(try await sample.state(of: tokens[1]) == "unknown")
                #expect(try await sample.state(of: tokens[2]) == "active")
                for http in [sample.http, sample.admin] {
                    let ready = try await http.send("GET", "/readyz")
                    #expect(ready.status == 200)
                    #expect(ready.text.hasPrefix("degraded\nrevocations that cannot be read: 1\n"), "\(ready.text)")
                }
                let metrics = try await sample.admin.send("GET", "/metrics").text
                #expect(metrics.contains("\ngatefold_revocations_unreadable 1"))
                // Another process can still end sessions.
                try await sample.succeed(["token", "revoke", "--token", "-"], input: tokens[2])
                let hasEnded = try await eventually(within: .seconds(2)) {
                    try await sample.state(of: tokens[2]) == "unknown"
                }
                #expect(hasEnded)
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
