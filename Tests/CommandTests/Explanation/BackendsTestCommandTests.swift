import BackendFixtures
import Foundation
import TestSupport
import Testing

@Suite("gatefold backends test", .serialized) struct BackendsTestCommandTests {
    @Test("Connects, looks the reader up, signs in, and shows the mapped values without personal data")
    func embedded() async throws {
        try await withSample { sample in
            let arguments = ["backends", "test", "house", "--identifier", Sample.ada.email, "--password-stdin"]
            let right = try await sample.gatefold(arguments, input: Sample.ada.password + "\n")
            #expect(right.status == 0, "\(right)")
            for line in ["connect: succeeded", "lookup: succeeded", "sign_in: succeeded", "mapped state = active"] {
                #expect(right.output.contains("  \(line)"), "\(line): \(right.output)")
            }
            #expect(!right.output.contains("ada@") && !right.output.contains(Sample.ada.password))
            let wrong = try await sample.gatefold(arguments, input: "wrong\n")
            #expect(wrong.status == 1 && wrong.output.contains("sign_in: negative"), "\(wrong)")
            let nobody = try await sample.gatefold(["backends", "test", "house", "--identifier", "nobody"])
            #expect(nobody.status == 1 && nobody.output.contains("lookup: negative"), "\(nobody)")
            #expect(try await sample.gatefold(["backends", "test", "house"]).status == 0)
            #expect(try await sample.gatefold(["backends", "test", "nowhere"]).status == 64)
            #expect(try await sample.gatefold(["backends", "test", "house", "--password-stdin"]).status == 64)
            let log = try await sample.succeed(["audit", "list", "--json"])
            #expect(log.contains("\"backend.test\"") && !log.contains("ada@"), "\(log)")
        }
    }

    @Test("A system that does not respond: the step, the cause and status 69")
    func down() async throws {
        try await withSample(
            configuration: {
                $0.adding(publication: "away", backend: "{kind: pugpig, endpoint: \"http://127.0.0.1:1/away\"}")
            }
        ) { sample in
            let run = try await sample.gatefold(["backends", "test", "away", "--identifier", "ada@example.com"])
            #expect(run.status == 69 && run.output.contains("connect: failed"), "\(run)")
            // The other steps are tried nevertheless, and a failed step has its time.
            #expect(run.output.contains("lookup: skipped") && run.output.contains(" ms"), "\(run)")
            let nobody = try await sample.gatefold(["backends", "test", "house", "--identifier", "\u{7}"])
            #expect(nobody.status == 64, "\(nobody)")
        }
    }

    @Test(
        "Neither command creates a file of a subscriber system",
        arguments: [
            """
            {kind: feed, folder: absent, source: {url: "http://127.0.0.1:1/readers.csv"}, format: csv, \
            columns: {identifier: email, key: id, proof: password}, subscription: {state: {from: state}}}
            """,
            "{kind: sqlite, path: absent/new.sqlite}",
        ])
    func filesOfSystems(backend: String) async throws {
        try await withSample(configuration: { $0.adding(publication: "new", backend: backend) }) { sample in
            for command in [
                ["explain", "--publication", "new", "ada@example.com", Sample.third],
                ["backends", "test", "new"],
            ] {
                let run = try await sample.gatefold(command)
                #expect(run.status == 69, "\(command): \(run)")
            }
            #expect(!FileManager.default.fileExists(atPath: sample.path("absent")))
        }
    }

    @Test("PostgreSQL: raw and mapped values, and the statement that fails, by its name")
    func statements() async throws {
        try await PostgreSQLFixture.run { fixture in
            try await withSample { sample in
                try sample.configure { $0.adding(publication: "club", backend: Self.inline(fixture.settings)) }
                let arguments = ["backends", "test", "club", "--identifier", StandardReaders.ada.email]
                func test(_ more: [String] = [], input: String? = nil) async throws -> CommandRun {
                    try await sample.gatefold(arguments + more, input: input, environment: fixture.environment)
                }
                let right = try await test(["--password-stdin"], input: StandardReaders.ada.password + "\n")
                #expect(right.status == 0, "\(right)")
                for part in [
                    "[queries.health]", "lookup: succeeded [queries.authenticate]",
                    "sign_in: succeeded [queries.authenticate]", "[queries.subscription, queries.editions]",
                    "raw state = active", "mapped state = active", "mapped editions = 2",
                ] {
                    #expect(right.output.contains(part), "\(part): \(right.output)")
                }
                try await fixture.instance.execute("ALTER TABLE holding RENAME TO gone", [:])
                let broken = try await test()
                #expect(broken.status == 69, "\(broken)")
                #expect(broken.output.contains("subscription: failed"), "\(broken.output)")
                #expect(broken.output.contains("    queries.editions: "), "\(broken.output)")
                let json = try await test(["--json"])
                #expect(json.output.contains("\"outcome\":\"failed\""), "\(json.output)")
            }
        }
    }

    /// Returns settings in block style as a flow mapping in one line.
    private static func inline(_ settings: String) -> String {
        var lines = settings.split(separator: "\n").map(String.init)
        var text = ""
        func depth(_ line: String) -> Int { line.prefix { $0 == " " }.count }
        func mapping(_ level: Int) -> String {
            var parts: [String] = []
            while let line = lines.first, depth(line) == level {
                lines.removeFirst()
                let entry = line.trimmingCharacters(in: .whitespaces)
                guard entry.hasSuffix(":") else {
                    parts.append(entry)
                    continue
                }
                parts.append(entry + " " + mapping(lines.first.map(depth) ?? 0))
            }
            return "{" + parts.joined(separator: ", ") + "}"
        }
        text = mapping(0)
        return text
    }
}
