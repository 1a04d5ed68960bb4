import Foundation
import GRDB
import Gatefold
import SQLAccess
import Synchronization
import TestSupport
import Testing

@testable import Backends

@Suite("An import beside others who read and write") struct ImportBesideOthersTests {
    private struct PowerCut: Error {}

    @Test(
        "holds no writer up: between any two batches the database is free, and no transaction has more than a batch",
        arguments: [SubscriberImport.Mode.allOrNothing, .resumable()])
    func writers(mode: SubscriberImport.Mode) async throws {
        let bench = try Bench()
        try await bench.load("identifier\nwriter\n")
        _ = bench.log.take()
        // It does not wait: what is locked is an error at once.
        let other = try bench.otherConnection()
        let written = Mutex(0)
        var text = "identifier,state,periods\n"
        for number in 0..<100_000 { text += "reader-\(number),active,2026-01-01/\n" }
        let work = SubscriberImport(
            into: bench.database, hasher: bench.hasher, options: SubscriberImport.Options(mode: mode))
        let report = try await work.run(file: try bench.file(text)) { _ in
            try other.write { db in
                try db.execute(sql: "UPDATE subscriber SET updated = updated + 1 WHERE identifier = 'writer'")
            }
            written.withLock { $0 += 1 }
        }
        #expect(report.isCommitted && report.added == 100_000)
        // A file is read in pieces of a quarter of a megabyte, and brought over in batches.
        #expect(written.withLock { $0 } >= (mode == .allOrNothing ? 100 : 10))
        var most = 0
        var rows = 0
        for statement in bench.log.take() {
            if statement.hasPrefix("BEGIN") { rows = 0 }
            if statement.hasPrefix("INSERT INTO staged") || statement.hasPrefix("INSERT INTO subscriber") { rows += 1 }
            most = max(most, rows)
        }
        #expect(most == SubscriberDatabase.importBatch)
        #expect(try await bench.database.counts()[.active] == 100_000)
    }

    /// A database with an import in force that was interrupted after a batch of its rows was brought over.
    private func interrupted(isReplacing: Bool) async throws -> Bench {
        let bench = try Bench()
        let former = try bench.hasher.hash("former")
        var text = "identifier,password_hash,editions\n"
        for number in 0..<2_500 { text += "reader-\(number),\(former),e1\n" }
        try await bench.load(text + "gone,\(former),e1\n")
        #expect(try await bench.database.register("registered", hash: former) != nil)
        let new = try bench.hasher.hash("new")
        text = "identifier,password_hash,editions\n"
        for number in 0..<3_000 { text += "reader-\(number),\(new),e2\n" }
        let ends = Mutex(0)
        let work = SubscriberImport(
            into: bench.database, hasher: bench.hasher,
            options: SubscriberImport.Options(isReplacing: isReplacing))
        await #expect(throws: PowerCut.self) {
            try await work.run(file: try bench.file(text)) { step in
                guard step.bytes == step.totalBytes else { return }
                // The first is said when the file is read, and the others while the rows are brought over.
                if ends.withLock({ ends in
                    ends += 1
                    return ends == 2
                }) {
                    throw PowerCut()
                }
            }
        }
        return bench
    }

    private func editions(_ bench: Bench, _ identifier: String) async throws -> [String]? {
        try await bench.database.find(identifier)?.editions.map(\.rawValue)
    }

    @Test("comes into force for all readers at once, whatever stops it after that", arguments: [false, true])
    func inForce(isReplacing: Bool) async throws {
        let bench = try await interrupted(isReplacing: isReplacing)
        let waiting = try await bench.database.pool.read { try Int.fetchOne($0, sql: "SELECT count(*) FROM staged") }
        #expect(waiting == 2_000)
        let backend = bench.backend()
        for number in [0, 1_700, 2_499, 2_999] {
            let name = "reader-\(number)"
            let old = try await backend.recognise(credentials(name, "former"), inquiry: Inquiry())
            #expect(old == .notRecognised(message: nil), "\(name)")
            let new = try await backend.recognise(credentials(name, "new"), inquiry: Inquiry())
            guard case .recognised(let subscriber) = new else {
                Issue.record("\(name) is refused")
                continue
            }
            let subscription = try await backend.subscription(of: subscriber, inquiry: Inquiry())
            #expect(subscription.entitlement == .editions([EditionID("e2")!]), "\(name)")
            #expect(try await editions(bench, name) == ["e2"])
        }
        let gone = try await backend.recognise(credentials("gone", "former"), inquiry: Inquiry())
        #expect((gone == .notRecognised(message: nil)) == isReplacing)
        #expect(try await editions(bench, "gone") == (isReplacing ? nil : ["e1"]))
        #expect(try await bench.database.find("registered") != nil)
        #expect(try await editions(bench, "nobody") == nil)
    }

    @Test("keeps what is changed by others after it came into force", arguments: [false, true])
    func changes(isReplacing: Bool) async throws {
        let bench = try await interrupted(isReplacing: isReplacing)
        let database = bench.database
        // By its number, of a token from before.
        let id = try #require(
            try await database.pool.read { db in
                try Int64.fetchOne(db, sql: "SELECT id FROM subscriber WHERE identifier = 'reader-2400'")
            })
        let before = try await database.pool.read { db in
            try Int64.fetchOne(db, sql: "SELECT password_version FROM subscriber WHERE id = ?", arguments: [id])
        }
        #expect(try await !database.setChosenPassword(hash: "$1$salt$x", of: id, version: before ?? 0))
        #expect(try await database.find(id: id)?.editions.map(\.rawValue) == ["e2"])
        #expect(try await database.setState(.suspended, of: "reader-2999"))
        #expect(try await database.register("reader-2998", hash: "$1$salt$x") == nil)
        #expect(try await database.delete("reader-2997"))
        #expect(try await database.delete("gone") == !isReplacing)
        #expect(try await database.register("later", hash: "$1$salt$x") != nil)
        // The rest comes over with the next who needs all of them.
        let counts = try await database.counts()
        let total: Int = counts.values.reduce(0, +)
        #expect(total == 3_001)
        #expect(counts[.suspended] == 1)
        #expect(try await database.find("reader-2997") == nil)
        #expect(try await database.find("later") != nil)
        let again = try SubscriberDatabase(path: bench.folder + "/subscribers.sqlite")
        let former = EditionID("e1")!
        let all: [SubscriberRecord] = try await again.list(limit: 10_000)
        #expect(!all.contains { record in record.editions == [former] })
        // Nothing is left of it after the next.
        #expect(try await bench.load("identifier,state\nreader-0,active\n").isCommitted)
        let left = try await database.pool.read { db in
            try Int.fetchOne(db, sql: "SELECT (SELECT count(*) FROM import) + (SELECT count(*) FROM staged)")
        }
        #expect(left == 0)
    }

    @Test("of all or nothing that is killed before it is in force leaves nothing but what the next one removes")
    func killed() async throws {
        let bench = try Bench()
        try await bench.load("identifier,state\na,active\n")
        try bench.otherConnection { db in
            try db.execute(
                sql: """
                    INSERT INTO import (id, rows, bad_rows) VALUES (77, 0, 0);
                    INSERT INTO staged (import, identifier, row) VALUES (77, 'a', x'00'), (77, 'b', x'00');
                    """)
        }
        #expect(try await bench.database.find("a")?.state == .active)
        #expect(try await bench.database.find("b") == nil)
        #expect(try await bench.load("identifier,state\na,inactive\n").replaced == 1)
        let staged = try await bench.database.pool.read { try Int.fetchOne($0, sql: "SELECT count(*) FROM staged") }
        #expect(staged == 0)
    }

    @Test("is the only one")
    func two() async throws {
        let bench = try Bench()
        let path = try bench.file("identifier\na\n")
        let lock = try ImportLock(database: bench.database.path)
        await #expect(throws: ImportError.anotherImport) {
            try await SubscriberImport(into: bench.database, hasher: bench.hasher).run(file: path)
        }
        withExtendedLifetime(lock) {}
    }
}
