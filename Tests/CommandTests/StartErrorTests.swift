import Foundation
import GRDB
import TestSupport
import Testing

@Suite("What keeps the server from starting", .serialized)
struct StartErrorTests {
    struct Mistake: Sendable, CustomTestStringConvertible {
        let name: String
        let change: @Sendable (String) -> String
        let says: String
        var testDescription: String { name }

        init(_ name: String, _ old: String, _ new: String, says: String) {
            self.name = name
            change = { $0.replacing(old, with: new) }
            self.says = says
        }
    }

    /// The end of every try: a server that starts after all is stopped, and fails the test by its status.
    private func serve(_ sample: Sample, environment: [String: String] = [:]) async throws -> CommandRun {
        try await CommandRun.of(
            "timeout", ["30", GatefoldProgram.path, "serve"], environment: environment, in: sample.folder)
    }

    @Test("a mistake in the configuration is one line and the status 78")
    func mistakes() async throws {
        let mistakes = [
            Mistake("policy", "policy: period", "policy: perod", says: "publications.daily.policy: expected one of"),
            Mistake("key", "policy: period", "polcy: period", says: "publications.daily.polcy: unknown key"),
            Mistake("listen", "listen: \"127", "listen: \"here:127", says: "server.listen: expected an address"),
            Mistake("yaml", "publications:", "publications: [", says: "gatefold.yaml"),
            Mistake("tabs", "  daily:", "\tdaily:", says: "gatefold.yaml"),
            Mistake("backend", "backend: house", "backend: home", says: "expected one of the backends house"),
            Mistake(
                "kind", "kind: sqlite, path: state/house", "kind: oracle, path: state/house", says: "expected one of"),
            Mistake("shared secret", "secrets/weekly", "secrets/daily", says: "shares a secret with daily"),
            Mistake("test mode", "test: true", "test: false", says: "expected `test: true` with it"),
            Mistake(
                "test users", "kind: sqlite, path: state/other.sqlite", "kind: test", says: "expected `test: true`"),
            Mistake(
                "two defaults", "backend: other", "backend: other\n    default: true", says: "expected one at most"),
            Mistake("prefix", "content: {root: editions/weekly}", "content: {prefix: editions}", says: "content"),
            Mistake(
                "proofs", "identifier: email, proofs: [password]", "identifier: email, proofs: [surname]",
                says: "expected what the backend"),
            Mistake("edition", "- {id: \(Sample.second)", "- {id: \"a:b\"", says: "expected 1 to 128 letters"),
            Mistake("no such secret", "secrets/daily", "secrets/missing", says: "expected a readable file"),
            Mistake("secret itself", "[{file: secrets/daily}]", "mIZrM4oCzJUFyIHMIM9", says: "not the secret itself"),
            Mistake("certificate", "server: {", "server: {tls: {certificate: no.pem, key: no.pem}, ", says: "no.pem"),
        ]
        try await withSample { sample in
            for mistake in mistakes {
                try sample.configure(mistake.change)
                let run = try await serve(sample)
                #expect(run.status == 78, "\(mistake.name): \(run)")
                #expect(run.errorLines.count == 1, "\(mistake.name): \(run.errors)")
                #expect(run.errors.hasPrefix("gatefold: ") && run.errors.contains(mistake.says), "\(run.errors)")
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

    @Test("Pitfall 4: a secret that is unset, blank, a sample or short stops the start in one line")
    func weakSecrets() async throws {
        let weak = [
            ("", "is empty"), (" \n", "is empty"), ("changeme", "sample"), ("ChangeMe\n", "sample"),
            ("12345678", "8 bytes"), ("Tr0ub4do", "8 bytes"), ("changemechangeme", "secret"),
            ("aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa", "repeats"), ("secretsecretsecret", "secret"),
        ]
        try await withSample { sample in
            for place in ["daily", "weekly", "references"] {
                let strong = try Data(contentsOf: sample.folder.appendingPathComponent("secrets/\(place)"))
                for (secret, says) in weak {
                    try sample.write("secrets/\(place)", secret)
                    let run = try await serve(sample)
                    #expect(run.status == 78, "\(secret): \(run)")
                    #expect(run.errorLines.count == 1)
                    #expect(run.errors.contains(says), "\(run.errors)")
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

    @Test("a port that is taken is said in one clear line, with the status 69")
    func portTaken() async throws {
        try await withSample { sample in
            try await withServer(sample.launch) { _ in
                for (taken, free) in [(sample.port, sample.adminPort), (sample.adminPort, sample.port)] {
                    try sample.configure { $0.replacing("127.0.0.1:\(free)", with: "127.0.0.1:0") }
                    let run = try await serve(sample)
                    #expect(run.status == 69)
                    #expect(
                        run.errors.contains("gatefold: can not listen on 127.0.0.1:\(taken): Address already in use\n"))
                    #expect(run.errorLines.count { !$0.hasPrefix("{") } == 1, "\(run.errors)")
                }
            }
        }
    }

    @Test("a state or subscriber database of a newer release is not served, nor used by a command: status 78")
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

    @Test("a state or subscriber database that can not be opened is said in one line, with the status 69")
    func databases() async throws {
        try await withSample { sample in
            for (file, says) in [("state", "state database"), ("house", "backend house")] {
                try sample.configure { $0.replacing("state/\(file).sqlite", with: "house.csv/\(file).sqlite") }
                let impossible = try await serve(sample)
                #expect(impossible.status == 69, "\(impossible)")
                #expect(impossible.errorLines.count == 1)
                #expect(impossible.errors.contains(says), "\(impossible.errors)")

                try sample.configure { $0.replacing("state/\(file).sqlite", with: "house.csv") }
                let garbage = try await serve(sample)
                #expect(garbage.status == 69, "\(garbage)")
                #expect(garbage.errorLines.count == 1)
                #expect(garbage.errors.contains(says), "\(garbage.errors)")
            }
        }
    }
}
