import Foundation
import GRDB
import TestSupport
import Testing

@Suite("gatefold state", .serialized)
struct StateCommandTests {
    private func signOut(_ token: String, _ sample: Sample) async throws {
        #expect(try await sample.call("sign_out", ["token": token]).status == 200)
    }

    @Test("Pitfall 34: a restored online backup revives no session")
    func restore() async throws {
        try await withSample { sample in
            var tokens: [String] = []
            try await withServer(sample.launch) { _ in
                for _ in 0..<3 { tokens.append(try await sample.signIn(sample.newReader())) }
                try await signOut(tokens[0], sample)
                let made = try await sample.succeed(["state", "backup", "backup.sqlite", "--json"])
                #expect(made.contains("\"revocations\":1"), "\(made)")
                let attributes = try FileManager.default.attributesOfItem(atPath: sample.path("backup.sqlite"))
                #expect(attributes[.posixPermissions] as? Int == 0o600)
                try await signOut(tokens[1], sample)

                let busy = try await sample.gatefold(["state", "restore", "backup.sqlite"])
                #expect(busy.status == 69 && busy.errorLines.count == 1, "\(busy)")
                #expect(busy.errors.contains("is in use"), "\(busy.errors)")
                let again = try await sample.gatefold(["state", "backup", "backup.sqlite"])
                #expect(again.status == 73 && again.errorLines.count == 1, "\(again)")
                #expect(try await sample.state(of: tokens[2]) == "active")
            }
            let restored = try await sample.succeed(["state", "restore", "backup.sqlite"])
            #expect(restored.contains("Sessions issued before"), "\(restored)")
            try await withServer(sample.launch) { _ in
                for token in tokens { #expect(try await sample.state(of: token) != "active") }
                for token in tokens {
                    #expect(try await sample.call("renew", ["token": token]).element("token") == nil)
                    #expect(try await sample.credentials(token, Sample.third).element("password") == nil)
                }
                let anew = try await sample.signIn(sample.newReader())
                #expect(try await sample.state(of: anew) == "active")
                let pair = try await sample.pair(anew, Sample.third)
                #expect(try await sample.download("daily/\(Sample.third).zip", pair).status == 200)
            }
        }
    }

    @Test("Pitfall 34: a file copied back by hand revives no session, and the server reports it")
    func manually() async throws {
        try await withSample { sample in
            var tokens: [String] = []
            try await withServer(sample.launch) { _ in
                for _ in 0..<2 { tokens.append(try await sample.signIn(sample.newReader())) }
            }
            try FileManager.default.copyItem(atPath: sample.path("state/state.sqlite"), toPath: sample.path("copy"))
            try await withServer(sample.launch) { server in
                try await signOut(tokens[0], sample)
                #expect(!server.output.contains("older copy"))
            }
            try FileManager.default.removeItem(atPath: sample.path("state/state.sqlite"))
            try FileManager.default.copyItem(atPath: sample.path("copy"), toPath: sample.path("state/state.sqlite"))
            try await withServer(sample.launch) { server in
                for token in tokens { #expect(try await sample.state(of: token) != "active") }
                #expect(server.output.contains("older copy"), "\(server.output)")
                let anew = try await sample.signIn(sample.newReader())
                #expect(try await sample.state(of: anew) == "active")
            }
        }
    }

    @Test("No command replaces or recreates a deleted state file while the server runs")
    func deletedFile() async throws {
        try await withSample { sample in
            try await withServer(sample.launch) { server in
                try await signOut(try await sample.signIn(sample.newReader()), sample)
                try await sample.succeed(["state", "backup", "backup.sqlite"])
                for _ in 0..<5 { try await signOut(try await sample.signIn(sample.newReader()), sample) }
                let token = try await sample.signIn(sample.newReader())
                try FileManager.default.removeItem(atPath: sample.path("state/state.sqlite"))

                let restore = try await sample.gatefold(["state", "restore", "backup.sqlite"])
                #expect(restore.status == 69 && restore.errors.contains("is in use"), "\(restore)")
                let revoke = try await sample.gatefold(["token", "revoke", "--token", token])
                #expect(revoke.status == 69 && revoke.errors.contains("no state at"), "\(revoke)")
                #expect(!FileManager.default.fileExists(atPath: sample.path("state/state.sqlite")))
                server.send(SIGKILL)
                _ = await server.end()
            }
            // The remaining files of the server belong to the former state.
            try await sample.succeed(["state", "restore", "backup.sqlite"])
            let (rows, integrity) = try await sample.database("state").read { db in
                (
                    try Int.fetchOne(db, sql: "SELECT count(*) FROM revocation"),
                    try String.fetchOne(db, sql: "PRAGMA integrity_check")
                )
            }
            #expect(rows == 1 && integrity == "ok")
            try await withServer(sample.launch) { _ in
                let ready = try await sample.http.send("GET", "/readyz")
                #expect(ready.status == 200)
            }
        }
    }

    @Test("An invalid backup or a missing file is rejected in one line")
    func mistakes() async throws {
        try await withSample { sample in
            let missing = try await sample.gatefold(["state", "restore", "nothing"])
            #expect(missing.status == 66 && missing.errorLines.count == 1, "\(missing)")
            let garbage = try await sample.gatefold(["state", "restore", "house.csv"])
            #expect(garbage.status == 65 && garbage.errorLines.count == 1, "\(garbage)")
            try sample.removeState()
            let none = try await sample.gatefold(["state", "backup", "backup.sqlite"])
            #expect(none.status == 66 && none.errorLines.count == 1, "\(none)")
        }
    }
}
