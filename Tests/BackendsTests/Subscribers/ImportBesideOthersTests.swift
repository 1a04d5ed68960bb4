import Foundation
import GRDB
import Gatefold
import State
import Synchronization
import TestSupport
import Testing

@testable import Backends
@testable import PasswordHashing
@testable import SQLAccess

@Suite("Import with concurrent readers and writers", .registryServers, .subscriberStores)
struct ImportBesideOthersTests {
    private struct PowerCut: Error {}

    @Test(
        "The database is unlocked between batches, and no transaction exceeds a batch",
        arguments: [SubscriberImport.Mode.allOrNothing, .resumable()])
    func writers(mode: SubscriberImport.Mode) async throws {
        let fixture = try Fixture()
        guard fixture.isFile else { return }
        try await fixture.load("identifier\nwriter\n")
        _ = fixture.log.take()
        // This connection does not wait: a locked database is an error at once.
        let other = try fixture.otherConnection()
        let written = Mutex(0)
        var text = "identifier,state,periods\n"
        for number in 0..<100_000 { text += "reader-\(number),active,2026-01-01/\n" }
        let work = SubscriberImport(
            into: fixture.database, hasher: fixture.hasher, options: SubscriberImport.Options(mode: mode))
        let report = try await work.run(file: try fixture.file(text)) { _ in
            try other.write { db in
                try db.execute(sql: "UPDATE subscriber SET updated = updated + 1 WHERE identifier = 'writer'")
            }
            written.withLock { $0 += 1 }
        }
        #expect(report.isCommitted && report.added == 100_000)
        // A file is read in pieces of a quarter of a megabyte and transferred in batches.
        #expect(written.withLock { $0 } >= (mode == .allOrNothing ? 100 : 10))
        var peak = 0
        var rows = 0
        for statement in fixture.log.take() {
            if statement.hasPrefix("BEGIN") { rows = 0 }
            if statement.hasPrefix("INSERT INTO subscriber") { rows += 1 }
            if statement.hasPrefix("INSERT INTO staged") { rows += statement.split(separator: "(?, ?, ?)").count - 1 }
            peak = max(peak, rows)
        }
        #expect(peak == SubscriberDatabase.importBatch)
        #expect(try await fixture.database.counts()[.active] == 100_000)
    }

    /// Returns a database with a committed import that was interrupted after one batch of its rows was transferred.
    private func interrupted(isReplacing: Bool) async throws -> Fixture {
        let fixture = try Fixture()
        let former = try fixture.hasher.hash("former")
        var text = "identifier,password_hash,editions\n"
        for number in 0..<2_500 { text += "reader-\(number),\(former),e1\n" }
        try await fixture.load(text + "gone,\(former),e1\n")
        #expect(try await fixture.database.register("registered", hash: former) != nil)
        let new = try fixture.hasher.hash("new")
        text = "identifier,password_hash,editions\n"
        for number in 0..<3_000 { text += "reader-\(number),\(new),e2\n" }
        let ends = Mutex(0)
        let work = SubscriberImport(
            into: fixture.database, hasher: fixture.hasher,
            options: SubscriberImport.Options(isReplacing: isReplacing))
        await #expect(throws: PowerCut.self) {
            try await work.run(file: try fixture.file(text)) { step in
                guard step.bytes == step.totalBytes else { return }
                // The first step at the end reports the file as read, and the later ones come while the rows are
                // transferred.
                if ends.withLock({ ends in
                    ends += 1
                    return ends == 2
                }) {
                    throw PowerCut()
                }
            }
        }
        return fixture
    }

    private func editions(_ fixture: Fixture, _ identifier: String) async throws -> [String]? {
        try await fixture.database.find(identifier)?.editions.map(\.rawValue)
    }

    @Test("An operator sees what a committed import makes of a reader, and applies no row", arguments: [false, true])
    func readingOnly(isReplacing: Bool) async throws {
        let fixture = try await interrupted(isReplacing: isReplacing)
        let staged = "SELECT count(*) FROM staged"
        let waiting = try await fixture.number(staged)
        var database = fixture.database
        database.isReadOnly = true
        let backend = SubscriberDatabaseBackend(
            name: "embedded", database: database, proof: nil,
            verifier: PasswordVerifier(hasher: fixture.hasher, concurrency: 1), clock: fixture.clock.wall)
        func lookUp(_ identifier: String) async throws -> ReaderLookup {
            let credentials = try #require(Credentials(finding: identifier, field: "email"))
            return try await backend.lookUp(credentials, context: CallContext()).value
        }
        for number in [0, 1_700, 2_499] {
            let found = try await lookUp("reader-\(number)").subscribers
            let subscriber = try #require(found.count == 1 ? found.first : nil, "\(number)")
            let subscription = try await backend.subscription(of: subscriber, context: CallContext()).value
            #expect(subscription.entitlement == .editions([EditionID("e2")!]), "\(number)")
        }
        let new = try await lookUp("reader-2999")
        #expect(new.subscribers.isEmpty && new.failures.keys.sorted() == ["embedded"])
        #expect(try await lookUp("gone").subscribers.isEmpty == isReplacing)
        #expect(try await lookUp("nobody") == ReaderLookup())
        #expect(try await fixture.number(staged) == waiting)
    }

    @Test("A committed import applies to all readers, even if interrupted afterwards", arguments: [false, true])
    func inForce(isReplacing: Bool) async throws {
        let fixture = try await interrupted(isReplacing: isReplacing)
        let waiting = try await fixture.number("SELECT count(*) FROM staged")
        #expect(waiting == 3_000 - Int64(fixture.database.store.importedTogether))
        let backend = fixture.backend()
        for number in [0, 1_700, 2_499, 2_999] {
            let name = "reader-\(number)"
            let old = try await backend.authenticate(credentials(name, "former"), context: CallContext()).value
            #expect(old == .rejected(message: nil), "\(name)")
            let new = try await backend.authenticate(credentials(name, "new"), context: CallContext()).value
            guard case .authenticated(let subscriber) = new else {
                Issue.record("\(name) is rejected")
                continue
            }
            let subscription = try await backend.subscription(of: subscriber, context: CallContext()).value
            #expect(subscription.entitlement == .editions([EditionID("e2")!]), "\(name)")
            #expect(try await editions(fixture, name) == ["e2"])
        }
        let gone = try await backend.authenticate(credentials("gone", "former"), context: CallContext()).value
        #expect((gone == .rejected(message: nil)) == isReplacing)
        #expect(try await editions(fixture, "gone") == (isReplacing ? nil : ["e1"]))
        #expect(try await fixture.database.find("registered") != nil)
        #expect(try await editions(fixture, "nobody") == nil)
    }

    @Test("Changes after the commit of an import are kept", arguments: [false, true])
    func changes(isReplacing: Bool) async throws {
        let fixture = try await interrupted(isReplacing: isReplacing)
        let database = fixture.database
        // By its number, from an earlier token.
        let id = try #require(
            try await fixture.number("SELECT id FROM subscriber WHERE identifier = 'reader-2400'"))
        let before = try await fixture.number("SELECT password_version FROM subscriber WHERE id = \(id)")
        #expect(try await !database.setChosenPassword(hash: "$1$salt$x", of: id, version: before ?? 0))
        #expect(try await database.find(id: id)?.editions.map(\.rawValue) == ["e2"])
        #expect(try await database.setState(.suspended, of: "reader-2999"))
        #expect(try await database.register("reader-2998", hash: "$1$salt$x") == nil)
        #expect(try await database.delete("reader-2997"))
        #expect(try await database.delete("gone") == !isReplacing)
        #expect(try await database.register("later", hash: "$1$salt$x") != nil)
        // The rest is transferred by the next call that needs all readers.
        let counts = try await database.counts()
        let total: Int = counts.values.reduce(0, +)
        #expect(total == 3_001)
        #expect(counts[.suspended] == 1)
        #expect(try await database.find("reader-2997") == nil)
        #expect(try await database.find("later") != nil)
        let again = try fixture.again()
        let former = EditionID("e1")!
        let all: [SubscriberRecord] = try await again.list(limit: 10_000)
        #expect(!all.contains { record in record.editions == [former] })
        // Nothing of it is left after the next import.
        #expect(try await fixture.load("identifier,state\nreader-0,active\n").isCommitted)
        let left = try await fixture.number("SELECT (SELECT count(*) FROM import) + (SELECT count(*) FROM staged)")
        #expect(left == 0)
    }

    @Test("Readers to whom an import is applied earlier are counted, and not in a row that all of them change")
    func counts() async throws {
        let fixture = try Fixture()
        try await fixture.load("identifier\nreader-1\nreader-2\ngone\nalso gone\n")
        let changed = Mutex<[Int64?]>([])
        let work = SubscriberImport(
            into: fixture.database, hasher: fixture.hasher, options: SubscriberImport.Options(isReplacing: true)
        ) {
            guard changed.withLock(\.isEmpty) else { return }
            do {
                for identifier in ["reader-1", "reader-3", "gone"] { _ = try await fixture.database.find(identifier) }
                let sum = try await fixture.number("SELECT added + replaced + removed FROM import")
                changed.withLock { $0.append(sum) }
            } catch {
                Issue.record(error)
            }
        }
        let report = try await work.run(
            file: try fixture.file("identifier\nreader-1\nreader-2\nreader-3\nreader-4\nreader-5\n"))
        #expect(changed.withLock(\.self) == [0])
        #expect(report.added == 3 && report.replaced == 2 && report.removed == 2)
        let left = try await fixture.number("SELECT (SELECT count(*) FROM import) + (SELECT count(*) FROM staged)")
        #expect(left == 0)
    }

    @Test("Rows that take effect are reported at that time, and again at the end, even if the end is an error")
    func effects() async throws {
        let fixture = try Fixture()
        // The number of active imports at each time.
        let times = Mutex<[Int64?]>([])
        func run(
            _ text: String, _ mode: SubscriberImport.Mode = .allOrNothing, failingAfter steps: Int = .max
        ) async throws -> [Int64?] {
            let work = SubscriberImport(
                into: fixture.database, hasher: fixture.hasher, options: SubscriberImport.Options(mode: mode)
            ) {
                let active = try? await fixture.number("SELECT count(*) FROM import WHERE applied > ''")
                times.withLock { $0.append(active) }
            }
            let step = Mutex(0)
            do {
                _ = try await work.run(file: try fixture.file(text)) { _ in
                    if step.withLock({ step in
                        step += 1
                        return step > steps
                    }) {
                        throw PowerCut()
                    }
                }
            } catch is PowerCut {}
            return times.withLock { times in
                defer { times = [] }
                return times
            }
        }
        var many = "identifier\n"
        for number in 0..<2_500 { many += "reader-\(number)\n" }
        #expect(try await run("identifier\na\n") == [1, 0])
        #expect(try await run("identifier,state\nb,nonsense\n") == [])
        // The first step is that of the file.
        #expect(try await run(many, failingAfter: 1) == [1, 1])
        // The next import completes the former one, which may not have reported its end.
        #expect(try await run("identifier,state\nb,nonsense\n") == [0])
        #expect(try await run("identifier,state\nb,nonsense\n") == [])
        #expect(try await run(many, .resumable(), failingAfter: 0) == [0])
        #expect(try await run("identifier\nc\n", .resumable()) == [0])
    }

    @Test("A sign-in makes the same queries for all identifiers while an import is applied", arguments: [false, true])
    func queries(isReplacing: Bool) async throws {
        let fixture = try await interrupted(isReplacing: isReplacing)
        guard fixture.isFile else { return }
        _ = try await fixture.database.proof(of: "nobody")
        _ = fixture.log.take()
        var queries: Set<[String]> = []
        for identifier in ["nobody", "reader-0", "reader-2000", "reader-2999", "gone", "registered"] {
            _ = try await fixture.database.proof(of: identifier)
            queries.insert(fixture.log.take())
        }
        #expect(queries.count == 1, "\(queries)")
    }

    @Test("An all-or-nothing import that is killed before its commit leaves only rows that the next import removes")
    func killed() async throws {
        let fixture = try Fixture()
        try await fixture.load("identifier,state\na,active\n")
        try await fixture.execute("INSERT INTO import (id, rows, bad_rows) VALUES (77, 0, 0)")
        _ = try await fixture.database.store.write { db in
            try db.execute(
                "INSERT INTO staged (import, identifier, row) VALUES (77, 'a', ?), (77, 'b', ?)",
                [Data([0]), Data([0])])
        }
        #expect(try await fixture.database.find("a")?.state == .active)
        #expect(try await fixture.database.find("b") == nil)
        #expect(try await fixture.load("identifier,state\na,inactive\n").replaced == 1)
        let staged = try await fixture.number("SELECT count(*) FROM staged")
        #expect(staged == 0)
    }

    @Test("A second concurrent import is an error")
    func two() async throws {
        let fixture = try Fixture()
        let path = try fixture.file("identifier\na\n")
        // Another process has the lock.
        let lock = try await fixture.again().store.lockImports()
        await #expect(throws: ImportError.anotherImport) {
            try await SubscriberImport(into: fixture.database, hasher: fixture.hasher).run(file: path)
        }
        await lock.release()
        #expect(try await fixture.load("identifier\na\n").added == 1)
    }
}
