import BackendFixtures
import Foundation
import Gatefold
import PostgreSQL
import Primitives
import TestSupport
import Testing

@testable import State

@Suite("Audit log", .stateServers) struct AuditLogConformance {
    private typealias Kind = TestedStore<any StateStore>

    static let chain = AuditChain(PseudonymKey(Secret("vS3nq0sYb2uT7kDx")))

    static func record(
        _ action: AuditAction = .tokenRevoke, by actor: String = "ada@console", of number: UInt8 = 1,
        in publication: PublicationID? = daily, _ details: AuditDetails = .none
    ) -> AuditRecord {
        AuditRecord(
            action, by: AuditActor(.commandLineUser, name: actor), of: .subscriber(subscriber(number)), in: publication,
            reason: AuditReason("because"), details: details)
    }

    private func verify(
        _ store: any AuditLog, expecting head: AuditHead? = nil
    ) async throws -> AuditVerification.Report {
        try await AuditVerification.run(store, Self.chain, expecting: head, pageSize: 7)
    }

    @Test(
        "Entries have numbers without gaps, the store's time, and the hash of the entry before",
        arguments: Kind.durable { $0 })
    func order(kind: TestedStore<any StateStore>) async throws {
        let clock = ManualClock(noon)
        try await kind.with(2, clock: clock.wall) { stores in
            #expect(try await stores[0].head() == nil)
            #expect(try await verify(stores[0]) == .init(intact: 0, head: nil, firstBreak: nil))
            var entries: [AuditEntry] = []
            for number in 0..<20 {
                let details = AuditDetails([("number", String(number))])
                entries.append(
                    try await stores[number % 2].append(Self.record(of: UInt8(number), details), to: Self.chain))
                clock.advance(by: 1)
            }
            #expect(entries.map(\.sequence) == Array(1...20))
            #expect(entries.map(\.previous) == [AuditChain.start] + entries.dropLast().map(\.hash))
            #expect(entries.map(\.time) == (0..<20).map { noon + TimeInterval($0) })
            #expect(try await stores[0].head() == entries.last?.head)
            #expect(try await stores[1].page(AuditQuery(.oldestFirst(after: 0), limit: 99)) == entries)
            #expect(try await verify(stores[1]) == .init(intact: 20, head: entries.last?.head, firstBreak: nil))
        }
    }

    @Test("A record that is appended again has no effect", arguments: Kind.durable { $0 })
    func again(kind: TestedStore<any StateStore>) async throws {
        try await kind.with(2) { stores in
            let record = Self.record()
            let entry = try await stores[0].append(record, to: Self.chain)
            try await stores[0].append(Self.record(), to: Self.chain)
            #expect(try await stores[1].append(record, to: Self.chain) == entry)
            #expect(try await stores[1].page(AuditQuery(.oldestFirst(after: 0), limit: 9)).count == 2)
        }
    }

    @Test("A hundred writers at three nodes leave one chain without gaps", arguments: Kind.durable { $0 })
    func race(kind: TestedStore<any StateStore>) async throws {
        try await kind.with(3) { stores in
            let sequences = try await withThrowingTaskGroup(of: Int64.self) { group in
                for number in 0..<100 {
                    group.addTask {
                        try await stores[number % 3].append(Self.record(of: UInt8(number)), to: Self.chain).sequence
                    }
                }
                return try await group.reduce(into: []) { $0.append($1) }
            }
            #expect(sequences.sorted() == Array(1...100))
            #expect(try await verify(stores[0]).intact == 100)
            #expect(try await verify(stores[0]).firstBreak == nil)
        }
    }

    @Test("Entries in transactions of changes take part in the same chain", arguments: Kind.durable { $0 })
    func joined(kind: TestedStore<any StateStore>) async throws {
        try await kind.with(2) { stores in
            let store = try #require(stores[1] as? SQLStateStore)
            async let others: Void = {
                for _ in 0..<10 { try await stores[0].append(Self.record(), to: Self.chain) }
            }()
            for _ in 0..<10 {
                let record = Self.record()
                try await store.database.write { db in
                    _ = try AuditRow.append(record, to: Self.chain, at: noon, db)
                }
            }
            try await others
            #expect(try await verify(stores[0]).intact == 20)
            #expect(try await verify(stores[0]).firstBreak == nil)
        }
    }

    @Test(
        "A query selects by time, actor, action, subject and publication, and continues at a number",
        arguments: Kind.durable { $0 })
    func queries(kind: TestedStore<any StateStore>) async throws {
        let clock = ManualClock(noon)
        try await kind.with(clock: clock.wall) { store in
            for (action, actor, number, publication) in [
                (.tokenRevoke, "ada@a", 1, daily), (.tokenInspect, "adam@b", 1, weekly), (.nodeDrain, "é%_@b", 2, nil),
                (.stateBackup, "bob@a", 2, daily),
            ] as [(AuditAction, String, UInt8, PublicationID?)] {
                try await store.append(
                    Self.record(action, by: actor, of: number, in: publication), to: Self.chain)
                clock.advance(by: 60)
            }
            func found(_ filter: AuditQuery.Filter, _ order: AuditQuery.Order = .oldestFirst(after: 0), limit: Int = 9)
                async throws -> [Int64]
            {
                try await store.page(AuditQuery(order, limit: limit, filter: filter)).map(\.sequence)
            }
            #expect(try await found(.init()) == [1, 2, 3, 4])
            #expect(try await found(.init(), .newestFirst(before: nil), limit: 3) == [4, 3, 2])
            #expect(try await found(.init(), .newestFirst(before: 2)) == [1])
            #expect(try await found(.init(since: noon + 60, until: noon + 180)) == [2, 3])
            #expect(try await found(.init(actor: "ada")) == [1, 2])
            #expect(try await found(.init(actor: "ada@")) == [1])
            #expect(try await found(.init(actor: "é%_")) == [3])
            #expect(try await found(.init(actor: "%")) == [])
            #expect(try await found(.init(action: "token.")) == [1, 2])
            #expect(try await found(.init(subject: "subscriber:\(subscriber(2))")) == [3, 4])
            #expect(try await found(.init(publication: "daily")) == [1, 4])
            #expect(try await found(.init(excluded: [.tokenRevoke, .nodeDrain])) == [2, 4])
            #expect(try await found(.init(subject: "subscriber:\(subscriber(1))", excluded: [.tokenInspect])) == [1])
            #expect(try await found(.init(actor: "ada", publication: "daily"), .newestFirst(before: nil)) == [1])
        }
    }

    /// Returns a statement that inserts an entry with values of the last one.
    ///
    /// - Parameter values: The number and the identifier.
    static func insertion(_ values: String, _ verb: String = "INSERT") -> String {
        """
        \(verb) INTO audit_entry (sequence, id, time, actor_kind, actor, action, details, previous, hash)
        SELECT \(values), time, actor_kind, actor, action, details, hash, previous
        FROM audit_entry ORDER BY sequence DESC LIMIT 1
        """
    }

    @Test(
        "The database rejects changes and deletions of entries, and entries that do not follow the last one",
        arguments: Kind.durable { $0 })
    func appendOnly(kind: TestedStore<any StateStore>) async throws {
        try await kind.with { store in
            try await store.append(Self.record(), to: Self.chain)
            let database = try #require(store as? SQLStateStore).database
            let changes = ["UPDATE audit_entry SET reason = 'other'", "DELETE FROM audit_entry WHERE sequence = 1"]
            let gaps = ["-7", "0", "3", "9223372036854775807"].map { Self.insertion("\($0), hash") }
            let replacements =
                database is SQLiteStateDatabase
                ? ["1, hash", "2, id"].map { Self.insertion($0, "INSERT OR REPLACE") } : []
            for statement in changes + gaps + replacements {
                await #expect(throws: (any Error).self, "\(statement)") {
                    try await database.write { db in try db.execute(statement) }
                }
            }
            #expect(try await verify(store).intact == 1)
        }
    }

    /// The ways in which an administrator of the database without the key can change the log of 20 entries.
    private static let tampering:
        [(name: String, statements: [String], sequence: Int64, cause: AuditVerification.Break.Cause)] = [
            ("an entry planted before the first one", [insertion("-7, hash")], -7, .reordered),
            ("an entry with the smallest number", [insertion("-9223372036854775807 - 1, hash")], .min, .reordered),
            ("an entry with the largest number", [insertion("9223372036854775807, hash")], 21, .missing),
            ("an actor", ["UPDATE audit_entry SET actor = 'eve@console' WHERE sequence = 5"], 5, .changed),
            ("a reason", ["UPDATE audit_entry SET reason = NULL WHERE sequence = 20"], 20, .changed),
            ("a time", ["UPDATE audit_entry SET time = time + 1 WHERE sequence = 1"], 1, .changed),
            ("details", ["UPDATE audit_entry SET details = 'a=b' WHERE sequence = 9"], 9, .changed),
            ("a removed entry", ["DELETE FROM audit_entry WHERE sequence = 7"], 7, .missing),
            ("the first entry removed", ["DELETE FROM audit_entry WHERE sequence = 1"], 1, .missing),
            (
                "an entry removed and the others renumbered",
                [
                    "DELETE FROM audit_entry WHERE sequence = 7",
                    "UPDATE audit_entry SET sequence = -sequence WHERE sequence > 7",
                    "UPDATE audit_entry SET sequence = -sequence - 1 WHERE sequence < 0",
                ], 7, .reordered
            ),
            (
                "two entries exchanged",
                [
                    "UPDATE audit_entry SET sequence = -10 WHERE sequence = 10",
                    "UPDATE audit_entry SET sequence = 10 WHERE sequence = 11",
                    "UPDATE audit_entry SET sequence = 11 WHERE sequence = -10",
                ], 10, .reordered
            ),
            (
                "an entry appended with an invented hash",
                [
                    """
                    INSERT INTO audit_entry (sequence, id, time, actor_kind, actor, action, details, previous, hash)
                    SELECT 21, previous, time, actor_kind, actor, action, details, hash, previous
                    FROM audit_entry WHERE sequence = 20
                    """
                ], 21, .changed
            ),
            (
                "the hash of an entry copied to another",
                ["UPDATE audit_entry SET hash = (SELECT hash FROM audit_entry WHERE sequence = 4) WHERE sequence = 12"],
                12,
                .changed
            ),
        ]

    @Test("Each change of the log is found at its entry", arguments: Kind.durable { $0 })
    func tampered(kind: TestedStore<any StateStore>) async throws {
        for (name, statements, sequence, cause) in Self.tampering {
            try await kind.with { store in
                for number: UInt8 in 1...20 { try await store.append(Self.record(of: number), to: Self.chain) }
                let database = try #require(store as? SQLStateStore).database
                try await Self.removeTriggers(database)
                try await database.write { db in for statement in statements { try db.execute(statement) } }
                let report = try await verify(store)
                #expect(report.firstBreak == .init(sequence: sequence, cause: cause), "\(name)")
                #expect(report.intact == max(1, sequence) - 1, "\(name)")
            }
        }
    }

    @Test(
        "A noted head shows entries that are missing at the end, and a log that was replaced",
        arguments: Kind.durable { $0 })
    func expected(kind: TestedStore<any StateStore>) async throws {
        try await kind.with { store in
            var heads: [AuditHead] = []
            for number: UInt8 in 1...10 {
                heads.append(try await store.append(Self.record(of: number), to: Self.chain).head)
            }
            for head in heads { #expect(try await verify(store, expecting: head).firstBreak == nil) }
            let database = try #require(store as? SQLStateStore).database
            try await Self.removeTriggers(database)
            try await database.write { db in try db.execute("DELETE FROM audit_entry WHERE sequence > 8") }
            #expect(try await verify(store).firstBreak == nil)
            #expect(try await verify(store, expecting: heads[7]).firstBreak == nil)
            #expect(try await verify(store, expecting: heads[9]).firstBreak == .init(sequence: 9, cause: .truncated))
            // The program itself continues the log, so that its chain is intact again.
            for number: UInt8 in 1...5 { try await store.append(Self.record(of: number), to: Self.chain) }
            #expect(try await verify(store).firstBreak == nil)
            #expect(try await verify(store, expecting: heads[9]).firstBreak == .init(sequence: 10, cause: .replaced))
        }
    }

    @Test(
        "No entry follows one with a number that only another program can have written",
        arguments: Kind.durable { $0 }, [-1_000_000, Int64.max])
    func invalidHead(kind: TestedStore<any StateStore>, sequence: Int64) async throws {
        try await kind.with { store in
            let database = try #require(store as? SQLStateStore).database
            try await Self.removeTriggers(database)
            try await database.write { db in
                try db.execute(
                    """
                    INSERT INTO audit_entry (sequence, id, time, actor_kind, actor, action, details, previous, hash)
                    VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)
                    """, [sequence, Data([1]), 0, "command", "eve", "node.drain", "", Data([2]), Data([3])])
            }
            #expect(try await verify(store).firstBreak != nil)
            await #expect(throws: AuditLogError.invalidHead(sequence: sequence)) {
                try await store.append(Self.record(), to: Self.chain)
            }
        }
    }

    @Test("A text with bytes that SQLite's own interface does not return is a changed one")
    func bytes() async throws {
        for bytes in ["61EFBFBD6200", "61EFBFBD620078", "61FF62", "61EFBFBD62C3"] {
            try await withTemporaryFolder { folder in
                let store = try SQLStateStore(path: folder + "/state.sqlite")
                // The name has the character that a decoder puts in place of invalid bytes.
                try await store.append(Self.record(by: "a\nb"), to: Self.chain)
                #expect(try await verify(store).firstBreak == nil)
                try await Self.removeTriggers(store.database)
                try await store.database.write { db in
                    try db.execute("UPDATE audit_entry SET actor = CAST(x'\(bytes)' AS TEXT)")
                }
                #expect(try await verify(store).firstBreak == .init(sequence: 1, cause: .changed), "\(bytes)")
            }
        }
    }

    @Test("A log that was removed is not an empty one", arguments: Kind.durable { $0 })
    func removed(kind: TestedStore<any StateStore>) async throws {
        try await kind.with { store in
            try await store.append(Self.record(), to: Self.chain)
            try await (store as? SQLStateStore)?.database.write { db in try db.execute("DROP TABLE audit_entry") }
            await #expect(throws: AuditLogError.missingTable) { try await verify(store) }
        }
    }

    /// Removes the triggers and the constraint, as an owner of the tables can.
    static func removeTriggers(_ database: any StateDatabase) async throws {
        try await database.write { db in
            if database is SQLiteStateDatabase {
                for trigger in ["insert", "update", "delete"] { try db.execute("DROP TRIGGER audit_entry_\(trigger)") }
                try db.execute("PRAGMA ignore_check_constraints = ON")
            } else {
                for trigger in ["follows", "append_only"] {
                    try db.execute("DROP TRIGGER audit_entry_\(trigger) ON audit_entry")
                }
                try db.execute("ALTER TABLE audit_entry DROP CONSTRAINT audit_entry_sequence_check")
            }
        }
    }

    @Test("Pitfall 30: each entry is written once if each response to a commit is lost")
    func lostResponses() async throws {
        let servers = try #require(StateServers.current)
        try await withFaultProxy(to: servers.instance.port) { proxy in
            let store = try SQLStateStore(
                postgreSQL: try servers.settings(port: proxy.port, statementTimeout: 3),
                schema: StateServers.freshSchema(), library: try LibPQ())
            try await proxy.set(.resetAfter("COMMIT\0"))
            for number: Int64 in 1...50 {
                #expect(try await store.append(Self.record(), to: Self.chain).sequence == number)
            }
            try await proxy.set(.none)
            #expect(try await verify(store).intact == 50)
            #expect(try await verify(store).firstBreak == nil)
        }
    }
}
