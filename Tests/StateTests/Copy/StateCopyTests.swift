import BackendFixtures
import Foundation
import GRDB
import Gatefold
import PostgreSQL
import SQLAccess
import TestSupport
import Testing

@testable import State

@Suite("Copy of a state", .stateServers) struct StateCopyTests {
    private func shared() throws -> SQLStateStore {
        try SQLStateStore(
            postgreSQL: try #require(StateServers.current).settings(), schema: StateServers.freshSchema(),
            library: try LibPQ())
    }

    private func copy(_ source: SQLStateStore, _ target: SQLStateStore) async throws -> StateCopy.Report {
        try await StateCopy(from: source, to: target, didProgress: { _ in }).run()
    }

    @Test("A copy has every row, in PostgreSQL and back in a file")
    func roundTrip() async throws {
        try await withTemporaryFolder { folder in
            let (one, two) = (try SQLStateStore.filled(in: folder), try shared())
            let three = try SQLStateStore(path: folder + "/back.sqlite")
            let before = try await one.rows()
            for table in StateTable.all { #expect(before[table.name]?.isEmpty == false, "\(table.name)") }
            let report = try await copy(one, two)
            #expect(report.rows == before.values.reduce(0) { $0 + $1.count })
            #expect(try await two.rows() == before)
            #expect(try await copy(two, three) == report)
            #expect(try await three.rows() == before)
            // The numbers continue in the copies as they would have in the original.
            for store in [one, two, three] {
                let event = Revocation(publication: daily, subscriber: subscriber(77), session: nil, at: noon)
                try await store.record(event)
            }
            let last = try await [one, two, three].asyncMap { try await $0.revocations(after: 0).map(\.sequence).max() }
            #expect(Set(last).count == 1)
            #expect(try await one.sessionFloor() == three.sessionFloor())
        }
    }

    @Test("A copy that was interrupted continues, and no server opens its target before")
    func resumed() async throws {
        try await withTemporaryFolder { folder in
            let (source, target) = (try SQLStateStore.filled(in: folder), try shared())
            let before = try await source.rows()
            let task = Task {
                try await StateCopy(
                    from: source, to: target,
                    didProgress: { if $0.table == "claim" { withUnsafeCurrentTask { $0?.cancel() } } }
                ).run()
            }
            await #expect(throws: (any Error).self) { try await task.value }
            await #expect(throws: StateStoreError.self) { try await target.checkIsComplete() }
            // Another state cannot continue it.
            let other = try SQLStateStore(path: folder + "/other.sqlite")
            await #expect(throws: StateCopyError.otherSource) { try await copy(other, target) }
            _ = try await copy(source, target)
            #expect(try await target.rows() == before)
            try await target.checkIsComplete()
        }
    }

    @Test("A copy never lowers the floor of its target, and raises it to that of its source")
    func floor() async throws {
        try await withTemporaryFolder { folder in
            func setFloor(_ floor: Double, of store: SQLStateStore) async throws {
                try await store.database.write { db in
                    try db.execute("UPDATE generation SET session_floor = ?", [floor])
                }
            }
            for (own, floor) in [(nil, 50.0), (100, 50), (50, 100)] as [(Double?, Double)] {
                let source = try SQLStateStore(path: "\(folder)/\(UUID())")
                let target = try shared()
                if let own { try await setFloor(own, of: source) }
                try await setFloor(floor, of: target)
                _ = try await copy(source, target)
                #expect(try await target.sessionFloor()?.timeIntervalSince1970 == max(own ?? 0, floor))
            }
        }
    }

    @Test("Rejects a target with rows of its own")
    func occupied() async throws {
        try await withTemporaryFolder { folder in
            let (source, target) = (try SQLStateStore.filled(in: folder), try shared())
            _ = try await target.recordKnownDevice([1], of: [1])
            await #expect(throws: StateCopyError.notEmpty(table: "store_clock")) { try await copy(source, target) }
            try await target.checkIsComplete()
        }
    }

    @Test("Knows every table and column of the state")
    func schema() async throws {
        let queue = try DatabaseQueue()
        try StateSchema.migrator.migrate(queue)
        let known = try await queue.read { db in
            try String.fetchAll(
                db,
                sql: """
                    SELECT name FROM sqlite_master
                    WHERE type = 'table' AND name NOT LIKE 'sqlite_%' AND name NOT LIKE 'grdb_%'
                    """
            ).reduce(into: [String: Set<String>]()) { all, table in
                all[table] = Set(try db.columns(in: table).map(\.name))
            }
        }
        let copied = Dictionary(uniqueKeysWithValues: StateTable.all.map { ($0.name, Set($0.columns)) })
        let excluded = [
            "admin_outcome", "admin_token", "document", "document_part", "generation", "lease", "mail", "node",
            "rate_counter", "schema_compatibility", "timeline_writer",
        ]
        #expect(known.filter { !excluded.contains($0.key) } == copied)
    }
}

extension Sequence {
    fileprivate func asyncMap<Value>(_ transform: (Element) async throws -> Value) async rethrows -> [Value] {
        var values: [Value] = []
        for element in self { values.append(try await transform(element)) }
        return values
    }
}
