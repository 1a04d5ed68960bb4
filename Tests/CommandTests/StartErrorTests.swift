import Foundation
import GRDB
import TestSupport
import Testing

@Suite("Start errors", .serialized)
struct StartErrorTests {
    struct MisconfigurationCase: Sendable, CustomTestStringConvertible {
        let name: String
        let change: @Sendable (String) -> String
        let mentions: String
        var testDescription: String { name }

        init(_ name: String, _ old: String, _ new: String, mentions: String) {
            self.name = name
            change = { $0.replacing(old, with: new) }
            self.mentions = mentions
        }
    }

    /// Runs the server with a time limit. A server that starts is stopped and fails the test by its status.
    private func serve(_ sample: Sample, environment: [String: String] = [:]) async throws -> CommandRun {
        try await CommandRun.of(
            "timeout", ["30", GatefoldProgram.path, "serve"], environment: environment, in: sample.folder)
    }

    @Test("A configuration mistake is reported in one line with status 78")
    func mistakes() async throws {
        let mistakes = [
            MisconfigurationCase(
                "policy", "policy: period", "policy: perod", mentions: "publications.daily.policy: expected one of"),
            MisconfigurationCase(
                "key", "policy: period", "polcy: period", mentions: "publications.daily.polcy: unknown key"),
            MisconfigurationCase(
                "listen", "listen: \"127", "listen: \"here:127", mentions: "server.listen: expected an address"),
            MisconfigurationCase("yaml", "publications:", "publications: [", mentions: "gatefold.yaml"),
            MisconfigurationCase("tabs", "  daily:", "\tdaily:", mentions: "gatefold.yaml"),
            MisconfigurationCase(
                "backend", "backend: house", "backend: home", mentions: "expected one of the backends house"),
            MisconfigurationCase(
                "kind", "kind: sqlite, path: state/house", "kind: oracle, path: state/house",
                mentions: "expected one of"),
            MisconfigurationCase(
                "shared secret", "secrets/weekly", "secrets/daily", mentions: "shares a secret with daily"),
            MisconfigurationCase("test mode", "test: true", "test: false", mentions: "expected `test: true` with it"),
            MisconfigurationCase(
                "test users", "kind: sqlite, path: state/other.sqlite", "kind: test", mentions: "expected `test: true`"),
            MisconfigurationCase(
                "two defaults", "backend: other", "backend: other\n    default: true", mentions: "expected at most one"),
            MisconfigurationCase(
                "prefix", "content: {root: editions/weekly}", "content: {prefix: editions}", mentions: "content"),
            MisconfigurationCase(
                "proofs", "identifier: email, proofs: [password]", "identifier: email, proofs: [surname]",
                mentions: "expected the fields that the backend"),
            MisconfigurationCase(
                "edition", "- {id: \(Sample.second)", "- {id: \"a:b\"", mentions: "expected 1 to 128 letters"),
            MisconfigurationCase(
                "no such secret", "secrets/daily", "secrets/missing", mentions: "expected a readable file"),
            MisconfigurationCase(
                "secret itself", "[{file: secrets/daily}]", "mIZrM4oCzJUFyIHMIM9", mentions: "not the secret itself"),
            MisconfigurationCase(
                "certificate", "server: {", "server: {tls: {certificate: no.pem, key: no.pem}, ", mentions: "no.pem"),
        ]
        try await withSample { sample in
            for mistake in mistakes {
                try sample.configure(mistake.change)
                let run = try await serve(sample)
                #expect(run.status == 78, "\(mistake.name): \(run)")
                #expect(run.errorLines.count == 1, "\(mistake.name): \(run.errors)")
                #expect(run.errors.hasPrefix("gatefold: ") && run.errors.contains(mistake.mentions), "\(run.errors)")
                #expect(run.output == "")
                if mistake.name != "certificate" {
                    #expect(try await sample.gatefold(["config", "check"]).status == 78, "\(mistake.name)")
                }
            }
            try FileManager.default.removeItem(at: sample.folder.appendingPathComponent("gatefold.yaml"))
            let run = try await serve(sample)
            #expect(run.status == 78)
            #expect(run.errorLines.count == 1)
        }
    }

    @Test("Pitfall 4: an unset, blank, sample or short secret stops the start with one line")
    func weakSecrets() async throws {
        let weak = [
            ("", "is empty"), (" \n", "is empty"), ("changeme", "sample"), ("ChangeMe\n", "sample"),
            ("12345678", "8 bytes"), ("Tr0ub4do", "8 bytes"), ("changemechangeme", "secret"),
            ("aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa", "repeats"), ("secretsecretsecret", "secret"),
        ]
        try await withSample { sample in
            for place in ["daily", "weekly", "pseudonyms"] {
                let strong = try Data(contentsOf: sample.folder.appendingPathComponent("secrets/\(place)"))
                for (secret, mentions) in weak {
                    try sample.write("secrets/\(place)", secret)
                    let run = try await serve(sample)
                    #expect(run.status == 78, "\(secret): \(run)")
                    #expect(run.errorLines.count == 1)
                    #expect(run.errors.contains(mentions), "\(run.errors)")
                    #expect(secret.count < 8 || !run.errors.contains(secret))
                }
                try sample.write("secrets/\(place)", Array(strong))
            }
            try sample.configure { $0.replacing("{file: secrets/daily}", with: "{env: GATEFOLD_TEST_SECRET}") }
            let unset = try await serve(sample)
            #expect(unset.status == 78)
            #expect(unset.errors.contains("expected the environment variable GATEFOLD_TEST_SECRET to be set"))
            let blank = try await serve(sample, environment: ["GATEFOLD_TEST_SECRET": "  "])
            #expect(blank.status == 78)
            #expect(blank.errors.contains("is empty"))
        }
    }

    @Test("An occupied port is reported in one line with status 69")
    func portInUse() async throws {
        try await withSample { sample in
            try await withServer(sample.launch) { _ in
                for (taken, free) in [(sample.port, sample.adminPort), (sample.adminPort, sample.port)] {
                    try sample.configure { $0.replacing("127.0.0.1:\(free)", with: "127.0.0.1:0") }
                    let run = try await serve(sample)
                    #expect(run.status == 69)
                    #expect(
                        run.errors.contains("gatefold: cannot listen on 127.0.0.1:\(taken): Address already in use\n"))
                    #expect(run.errorLines.count { !$0.hasPrefix("{") } == 1, "\(run.errors)")
                }
            }
        }
    }

    @Test("The server and the commands reject a database of a newer release with status 78")
    func newerSchema() async throws {
        try await withSample { sample in
            try await withServer(sample.launch) { _ in }
            for (file, command) in [
                ("state", ["token", "revoke", "--subscriber", "00000000000001"]),
                ("house", ["subscribers", "list", "-b", "house"]),
            ] {
                let queue = try DatabaseQueue(path: sample.path("state/\(file).sqlite"))
                try await queue.write { db in
                    try db.execute(sql: "INSERT INTO grdb_migrations (identifier) VALUES ('99 of the future')")
                }
                for run in [try await serve(sample), try await sample.gatefold(command)] {
                    #expect(run.status == 78, "\(run)")
                    #expect(run.errorLines.count == 1, "\(run)")
                    #expect(run.errors.contains("\(file).sqlite"), "\(run.errors)")
                    #expect(run.errors.contains("\"99 of the future\""), "\(run.errors)")
                }
                try await queue.write { db in
                    try db.execute(sql: "DELETE FROM grdb_migrations WHERE identifier = '99 of the future'")
                }
                try queue.close()
            }
            try await withServer(sample.launch) { _ in }
        }
    }

    @Test("A database that cannot be opened is reported in one line with status 69")
    func databases() async throws {
        try await withSample { sample in
            for (file, mentions) in [("state", "state database"), ("house", "backend house")] {
                try sample.configure { $0.replacing("state/\(file).sqlite", with: "house.csv/\(file).sqlite") }
                let impossible = try await serve(sample)
                #expect(impossible.status == 69, "\(impossible)")
                #expect(impossible.errorLines.count == 1)
                #expect(impossible.errors.contains(mentions), "\(impossible.errors)")

                try sample.configure { $0.replacing("state/\(file).sqlite", with: "house.csv") }
                let garbage = try await serve(sample)
                #expect(garbage.status == 69, "\(garbage)")
                #expect(garbage.errorLines.count == 1)
                #expect(garbage.errors.contains(mentions), "\(garbage.errors)")
            }
        }
    }
}
