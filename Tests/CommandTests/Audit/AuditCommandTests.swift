import Foundation
import GRDB
import TestSupport
import Testing

@Suite("gatefold audit", .serialized, .servedSample(), .timeLimit(.minutes(10))) struct AuditCommandTests {
    private struct Line: Decodable {
        let sequence: Int64
        let actorKind, actor, action, hash, previous: String
        let publication, subject, reason: String?
        let details: [String]
    }

    private static func lines(_ text: String) throws -> [Line] {
        try text.split(separator: "\n").map { try JSONDecoder().decode(Line.self, from: Data($0.utf8)) }
    }

    private func lines(_ sample: Sample, _ filter: String...) async throws -> [Line] {
        try Self.lines(try await sample.succeed(["audit", "list", "--json", "--limit", "10000"] + filter))
    }

    @Test("Pitfall 37: each command leaves its entries, which contain no identifier, token or password")
    func everyCommand() async throws {
        let sample = try Sample.current
        let (reader, other) = (sample.newReader(), sample.newReader())
        let token = try await sample.signIn(reader, device: "planted-device")
        try sample.write("more.csv", "identifier,password,state\nplanted@example.com,planted password,active\n")
        let pseudonym = try await sample.succeed(["subscribers", "show", reader.email, "-b", "house"])
            .firstMatch(of: /pseudonym   ([0-9a-f]{14})/).map { String($0.1) }
        let subject = "subscriber:\(try #require(pseudonym))"
        let commands: [(words: [String], status: Int32, action: String, subject: String?)] = [
            (["subscribers", "show", reader.email, "-b", "house"], 0, "subscriber.show", subject),
            (["subscribers", "list", "-b", "house", "--limit", "2"], 0, "subscriber.list", "backend:house"),
            (["subscribers", "export", "-", "-b", "house"], 0, "subscriber.export", "backend:house"),
            (["subscribers", "import", "more.csv", "-b", "house"], 0, "subscriber.import", "backend:house"),
            (
                ["subscribers", "set-state", reader.email, "suspended", "-b", "house"], 0, "subscriber.set-state",
                subject
            ),
            (["subscribers", "delete", other.email, "-b", "house"], 0, "subscriber.delete", nil),
            (["token", "inspect", "--reveal-key", "--", token], 0, "token.inspect", subject),
            (["token", "revoke", "--token", token], 0, "token.revoke", subject),
            (["credentials", "issue", Sample.second], 0, "credentials.issue", "edition:\(Sample.second)"),
            (["backends", "flush", "house", "--identifier", reader.email], 0, "backend.flush", nil),
            (["backends", "flush", "house", "--pseudonym", try #require(pseudonym)], 0, "backend.flush", subject),
            (["account", "list"], 0, "account.list", nil),
            (["account", "erase", "absent@example.com"], 1, "account.erase", nil),
            (
                ["purchases", "erase", "--installation", "planted-user", "--app", "com.example.app"], 1,
                "purchase.erase",
                nil
            ),
            (["deliveries", "list", "--reveal-account"], 0, "delivery.list", nil),
            (["deliveries", "retry", "app-store/planted-transaction"], 1, "delivery.retry", nil),
            (["deliveries", "settle", "app-store/planted-transaction"], 1, "delivery.settle", nil),
            (["state", "backup", "planted.sqlite"], 0, "state.backup", nil),
        ]
        for (number, command) in commands.enumerated() {
            let before = try await lines(sample).first?.sequence ?? 0
            let run = try await sample.gatefold(
                [command.words[0], command.words[1], "--reason", "test \(number)"] + command.words.dropFirst(2))
            #expect(run.status == command.status, "\(command.words) \(run)")
            let entries = try await lines(sample).filter { $0.sequence > before && $0.actorKind == "command" }
            #expect(!entries.isEmpty, "\(command.words)")
            for entry in entries {
                #expect(entry.action == command.action && entry.reason == "test \(number)", "\(entry)")
                if let subject = command.subject { #expect(entry.subject == subject, "\(entry)") }
            }
        }
        let dump = try await sample.succeed(["audit", "export"])
        for planted in [
            reader.email, other.email, reader.password, token, "planted", "absent@", "@example.com", "com.example.app",
        ] {
            #expect(!dump.contains(planted), "\(planted)")
        }
        let entered = try await lines(sample, "--identifier", "ABSENT@example.com")
        #expect(entered.map(\.action) == ["account.erase", "account.erase"])
        #expect(try await sample.succeed(["audit", "verify"]).hasPrefix("The audit log is intact"))
    }

    @Test("`list` filters and continues, and prints a table")
    func list() async throws {
        let sample = try Sample.current
        for number in 0..<3 {
            try await sample.succeed([
                "credentials", "issue", Sample.third, "--reason", "page \(number)", "-p", "weekly",
            ])
        }
        let issued = ["audit", "list", "--subject", "edition:\(Sample.third)", "-p", "weekly"]
        let first = try await sample.gatefold(issued + ["--limit", "2", "--json"])
        let found = try Self.lines(first.output)
        #expect(found.map(\.reason) == ["page 2", "page 1"])
        #expect(first.errors == "continue with --before \(found[1].sequence)\n")
        let next = try await sample.gatefold(issued + ["--json", "--before", "\(found[1].sequence)"])
        #expect(try Self.lines(next.output).map(\.reason) == ["page 0"] && next.errors.isEmpty)
        #expect(try await sample.succeed(issued + ["--until", "2020-01-01"]).isEmpty)
        #expect(
            try await sample.succeed(issued + ["--since", "2020-01-01T00:00:00Z"]).split(separator: "\n").count == 3)
        #expect(try await sample.succeed(issued + ["--actor", "\(found[0].actor)x"]).isEmpty)
        let table = try await sample.succeed(issued + ["--actor", found[0].actor, "--limit", "1"])
        let columns = table.split(separator: "\n")[0].split(separator: "\t").map(String.init)
        #expect(columns[0] == "\(found[0].sequence)")
        #expect(
            Array(columns.dropFirst(2)) == [
                found[0].actor, "credentials.issue", "edition:\(Sample.third)", "weekly", "page 2", "-",
            ])
        for text in [
            "yesterday", "2026-11-28 23:59:59", "2026-11-28x", "2026-11-28T23:59:59", "2026-11-28T23:59:59Zx",
            "2026-11-28T23:59:59+01:00", "2026-02-30", "2026-1-2", " 2026-11-28",
        ] {
            #expect(try await sample.gatefold(["audit", "list", "--since", text]).status == 64, "\(text)")
        }
    }

    @Test("Characters that a terminal interprets are escaped in JSON and replaced in the table")
    func controls() async throws {
        try await withSample { sample in
            try await sample.succeed(["credentials", "issue", Sample.second])
            let database = try sample.database("state")
            try await database.write { db in
                try db.execute(sql: "DROP TRIGGER audit_entry_update")
                try db.execute(
                    sql: "UPDATE audit_entry SET actor = ?", arguments: ["eve\u{1B}[2J\u{9B}\u{202E}\u{2028}\u{E0041}"])
            }
            for words in [["audit", "list"], ["audit", "list", "--json"], ["audit", "export"]] {
                let text = try await sample.succeed(words)
                let controls = text.unicodeScalars.filter { $0 != "\n" && $0 != "\t" && !(" "..."~").contains($0) }
                #expect(controls.allSatisfy { $0 == "\u{FFFD}" } && text.contains("eve"), "\(words)")
            }
            let read = try Self.lines(try await sample.succeed(["audit", "export"])).map(\.actor)
            #expect(read.allSatisfy { $0 == "eve\u{1B}[2J\u{9B}\u{202E}\u{2028}\u{E0041}" })
        }
    }

    @Test("The actor is the user of the process, and the person who used sudo")
    func actor() async throws {
        let sample = try Sample.current
        for (environment, pattern) in [
            ([:], /[^@()]+@[^@]+/), (["SUDO_USER": "ada"], /ada\(sudo [^@()]+\)@[^@]+/),
        ] as [([String: String], Regex<Substring>)] {
            let run = try await sample.gatefold(["credentials", "issue", Sample.free], environment: environment)
            #expect(run.status == 0)
            let entry = try #require(try await lines(sample, "--subject", "edition:\(Sample.free)").first)
            #expect(entry.actor.wholeMatch(of: pattern) != nil && entry.actorKind == "command", "\(entry.actor)")
        }
    }

    @Test("Nothing is revealed or changed if the entry cannot be written")
    func withoutLog() async throws {
        let sample = try Sample.current
        let reader = sample.newReader()
        try await sample.withoutTable("audit_entry", in: "state") {
            for words in [
                ["subscribers", "show", reader.email, "-b", "house"],
                ["subscribers", "delete", reader.email, "-b", "house"],
                ["subscribers", "list", "-b", "house"], ["credentials", "issue", Sample.second],
            ] {
                let run = try await sample.gatefold(words)
                #expect(run.status == 74 && run.output.isEmpty, "\(words) \(run)")
            }
            // A removed log is no outage of the state, in which a flush would be made nevertheless.
            let flushed = try await sample.gatefold(["backends", "flush", "house", "--all"])
            #expect(flushed.status == 69 && flushed.output.isEmpty, "\(flushed)")
            let verified = try await sample.gatefold(["audit", "verify"])
            #expect(verified.status == 1 && verified.errors.contains("the audit log was removed"), "\(verified)")
            let exported = try await sample.gatefold(["audit", "export", "partial.jsonl"])
            #expect(exported.status == 74, "\(exported)")
            #expect(!FileManager.default.fileExists(atPath: sample.path("partial.jsonl")))
        }
        #expect(try await sample.gatefold(["subscribers", "show", reader.email, "-b", "house"]).status == 0)
    }

    @Test("A backup whose file exists leaves no entry")
    func existingBackup() async throws {
        let sample = try Sample.current
        let before = try await lines(sample, "--action", "state.backup").count
        #expect(try await sample.gatefold(["state", "backup", "house.csv"]).status == 73)
        #expect(try await lines(sample, "--action", "state.backup").count == before)
    }

    @Test(
        "A command creates no state in the folder of another user, who could not open it",
        .enabled(if: geteuid() == 0, "only root can give a folder to another user"))
    func foreignFolder() async throws {
        try await withSample { sample in
            try sample.removeState()
            func reject(_ folder: String) async throws {
                #expect(chown(sample.path(folder), 65_534, 65_534) == 0)
                let run = try await sample.gatefold(["credentials", "issue", Sample.second])
                #expect(run.status == 69 && run.output.isEmpty && run.errorLines.count == 1, "\(run)")
                #expect(run.errors.contains("start the server first"), "\(run.errors)")
                #expect(!FileManager.default.fileExists(atPath: sample.path("state/state.sqlite")))
            }
            try await reject("state")
            try FileManager.default.removeItem(atPath: sample.path("state"))
            try await reject("")
            #expect(chown(sample.path(""), geteuid(), getegid()) == 0)
            #expect(try await sample.gatefold(["credentials", "issue", Sample.second]).status == 0)
        }
    }

    @Test("`export` writes each entry with its hash and the one before, and continues later")
    func export() async throws {
        let sample = try Sample.current
        try await sample.succeed(["credentials", "issue", Sample.second])
        let written = try await sample.gatefold(["audit", "export", "audit.jsonl"])
        #expect(written.status == 0 && written.errors.contains("entries written to audit.jsonl"), "\(written)")
        let attributes = try FileManager.default.attributesOfItem(atPath: sample.path("audit.jsonl"))
        #expect(attributes[.posixPermissions] as? Int == 0o600)
        let exported = try Self.lines(try String(contentsOfFile: sample.path("audit.jsonl"), encoding: .utf8))
        #expect(exported.map(\.sequence) == Array(1...Int64(exported.count)))
        #expect(exported.map(\.previous) == [String(repeating: "0", count: 64)] + exported.dropLast().map(\.hash))
        #expect(try await sample.gatefold(["audit", "export", "audit.jsonl"]).status == 73)
        try await sample.succeed(["credentials", "issue", Sample.second])
        let rest = try Self.lines(try await sample.succeed(["audit", "export", "--after", "\(exported.count)"]))
        #expect(rest.map(\.sequence) == [Int64(exported.count) + 1] && rest[0].previous == exported.last?.hash)
    }
}

@Suite("gatefold audit verify", .serialized) struct AuditVerifyCommandTests {
    private struct Report: Decodable {
        struct Break: Decodable {
            let sequence: Int64
            let cause: String
        }

        let intact: Bool
        let entries: Int64
        let head: String?
        let firstBreak: Break?
    }

    private func verify(_ sample: Sample, _ more: [String] = []) async throws -> (status: Int32, report: Report) {
        let run = try await sample.gatefold(["audit", "verify", "--json"] + more)
        return (run.status, try JSONDecoder().decode(Report.self, from: Data(run.output.utf8)))
    }

    @Test("Reports the first broken entry with status 1, and missing entries at the end with a noted head")
    func broken() async throws {
        try await withSample { sample in
            for _ in 0..<4 { try await sample.succeed(["credentials", "issue", Sample.second]) }
            let (status, report) = try await verify(sample)
            #expect(status == 0 && report.intact && report.entries >= 4)
            let head = try #require(report.head)
            #expect(try await verify(sample, ["--expect", head]).status == 0)
            try await sample.succeed(["credentials", "issue", Sample.second])
            #expect(try await verify(sample, ["--expect", head]).status == 0)
            #expect(try await sample.gatefold(["audit", "verify", "--expect", "12:ab"]).status == 64)

            let last = report.entries
            let database = try sample.database("state")
            try await database.write { db in
                try db.execute(sql: "DROP TRIGGER audit_entry_delete; DROP TRIGGER audit_entry_update")
                try db.execute(sql: "DELETE FROM audit_entry WHERE sequence >= ?", arguments: [last])
            }
            #expect(try await verify(sample).status == 0)
            let truncated = try await verify(sample, ["--expect", head])
            #expect(truncated.status == 1 && truncated.report.firstBreak?.cause == "truncated")
            #expect(truncated.report.firstBreak?.sequence == last)

            try await database.write { db in
                try db.execute(sql: "UPDATE audit_entry SET actor = 'eve@console' WHERE sequence = 2")
            }
            let changed = try await verify(sample)
            #expect(changed.status == 1 && changed.report.entries == 1)
            #expect(changed.report.firstBreak?.cause == "changed" && changed.report.firstBreak?.sequence == 2)
            let text = try await sample.gatefold(["audit", "verify"])
            #expect(
                text.status == 1
                    && text.output == "The audit log is broken: entry 2 is changed. 1 entries before it are intact.\n")
        }
    }

    @Test("A restore goes on with the log, and a command does not create a state that was removed")
    func states() async throws {
        try await withSample { sample in
            try await sample.succeed(["state", "backup", "backup.sqlite"])
            try await sample.succeed(["credentials", "issue", Sample.second])
            let before = try await verify(sample).report
            try await sample.succeed(["state", "restore", "backup.sqlite", "--reason", "drill of a restore"])
            let after = try await verify(sample, ["--expect", try #require(before.head)])
            #expect(after.status == 0 && after.report.entries == before.entries + 1)
            let listed = try await sample.succeed(["audit", "list", "--action", "state.restore"])
            #expect(listed.contains("drill of a restore") && listed.contains("former_head=\(before.head ?? "")"))

            try FileManager.default.removeItem(atPath: sample.path("state/state.sqlite"))
            let run = try await sample.gatefold(["credentials", "issue", Sample.second])
            #expect(run.status == 69 && run.output.isEmpty && run.errors.contains("no state at"), "\(run)")
        }
    }
}
