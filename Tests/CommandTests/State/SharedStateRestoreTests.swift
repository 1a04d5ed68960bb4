import BackendFixtures
import Foundation
import TestSupport
import Testing

@Suite("gatefold state backup and restore on PostgreSQL", .serialized) struct SharedStateRestoreTests {
    @Test("Pitfall 34: a backup made while nodes serve revives no session on any node, or in a file")
    func restore() async throws {
        try await SharedStatePair.onPostgreSQL { pair, _ in
            let sample = pair.sample
            try pair.reader("old")
            var tokens: [String] = []
            try await withServers([pair.launch(0), pair.launch(1)]) { _ async throws in
                for _ in 0..<3 { tokens.append(try await pair.token(0, "old")) }
                #expect(try await pair.call(0, "sign_out", ["token": tokens[0]]).status == 200)
                let made = try await sample.succeed(["state", "backup", "backup.sqlite", "--json"])
                #expect(made.contains("\"revocations\":1"), "\(made)")
                let attributes = try FileManager.default.attributesOfItem(atPath: sample.path("backup.sqlite"))
                #expect(attributes[.posixPermissions] as? Int == 0o600)
                #expect(try await pair.call(0, "sign_out", ["token": tokens[1]]).status == 200)

                let again = try await sample.gatefold(["state", "backup", "backup.sqlite"])
                #expect(again.status == 73 && again.errorLines.count == 1, "\(again)")
                let busy = try await sample.gatefold(["state", "restore", "backup.sqlite"])
                #expect(busy.status == 69 && busy.errorLines.count == 1, "\(busy)")
                #expect(busy.errors.contains("is in use by the nodes"), "\(busy.errors)")
                for node in [0, 1] { #expect(try await pair.state(node, tokens[2]) == "active") }
            }
            let restored = try await sample.succeed(["state", "restore", "backup.sqlite"])
            #expect(restored.contains("Sessions issued before"), "\(restored)")
            try await withServers([pair.launch(0), pair.launch(1)]) { _ async throws in
                for node in [0, 1] {
                    for token in tokens { #expect(try await pair.state(node, token) != "active", "node \(node)") }
                }
                let anew = try await pair.token(0, "old")
                for node in [0, 1] { #expect(try await pair.state(node, anew) == "active", "node \(node)") }
            }
            let audited = try await sample.succeed(["audit", "list", "--action", "state.restore"])
            #expect(audited.contains("former_head=") && audited.contains("backup_head="), "\(audited)")
            try await sample.succeed(["audit", "verify"])
            let embedded = try pair.embed("state/state.sqlite", as: "embedded.yaml")
            try await sample.succeed(["state", "restore", "backup.sqlite", "--config", "embedded.yaml"])
            try await withServer(embedded) { _ async throws in
                for token in tokens { #expect(try await pair.state(0, token) != "active") }
                #expect(try await pair.state(0, try await pair.token(0, "old")) == "active")
            }
        }
    }

    @Test("An invalid backup, a missing file or a database without the state is rejected in one line")
    func mistakes() async throws {
        try await SharedStatePair.onPostgreSQL { pair, servers in
            let none = try await pair.sample.gatefold(["state", "backup", "backup.sqlite"])
            #expect(none.status == 69 && none.errorLines.count == 1, "\(none)")
            #expect(none.errors.contains("run `gatefold state migrate` first"), "\(none.errors)")
            try await pair.sample.succeed(["state", "migrate"])
            try await pair.sample.succeed(["state", "backup", "backup.sqlite"])
            let missing = try await pair.sample.gatefold(["state", "restore", "nothing"])
            #expect(missing.status == 66 && missing.errorLines.count == 1, "\(missing)")
            let garbage = try await pair.sample.gatefold(["state", "restore", "house.csv"])
            #expect(garbage.status == 65 && garbage.errorLines.count == 1, "\(garbage)")
            try await servers.instance.execute(
                "INSERT INTO gatefold.migration VALUES (99, 'later', 'x')", database: "state")
            for arguments in [["backup", "other.sqlite"], ["restore", "backup.sqlite"]] {
                let newer = try await pair.sample.gatefold(["state"] + arguments)
                #expect(newer.status == 78 && newer.errorLines.count == 1, "\(newer)")
                #expect(newer.errors.contains("\"99 later\""), "\(newer.errors)")
            }
        }
    }
}
