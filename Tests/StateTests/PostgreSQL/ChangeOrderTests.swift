import BackendFixtures
import Foundation
import Gatefold
import PostgreSQL
import Primitives
import SQLAccess
import TestSupport
import Testing

@testable import State

@Suite("Pitfall 25: order of changes in PostgreSQL", .stateServers) struct ChangeOrderTests {
    private static let (here, there): ([UInt8], [UInt8]) = ([1], [2])

    private func fact(_ number: Int) -> SharedFact {
        SharedFact(
            id: SharedFact.ID(kind: .denial, backend: "house", subject: Array("\(number)".utf8), detail: []),
            value: [1], timestamp: noon, end: noon + 3_600)
    }

    /// Inserts a fact in a transaction that the test commits later.
    private func insert(_ number: Int, on connection: PostgreSQLConnection, _ schema: PostgreSQLSchemaName) throws {
        let limits = PostgreSQLConnection.Limits(rows: 9, time: .seconds(9))
        _ = try connection.script("BEGIN; SET LOCAL search_path = \(schema.name)", limits)
        _ = try connection.change(
            """
            INSERT INTO shared_fact (kind, backend, subject, detail, value, recorded_at, ends, origin)
            VALUES ('denial', 'house', $1, '', '\\x01', 1, 2, '\\x01')
            """, ["\(number)"], limits)
    }

    private func commit(_ connection: PostgreSQLConnection) throws {
        _ = try connection.change("COMMIT", [], PostgreSQLConnection.Limits(rows: 9, time: .seconds(9)))
    }

    private func subjects(_ page: SharedFactPage) -> [String] {
        page.facts.map { String(decoding: $0.id.subject, as: UTF8.self) }
    }

    @Test("A change that was made first and committed last arrives, once")
    func lateCommit() async throws {
        let servers = try #require(StateServers.current)
        let schema = StateServers.freshSchema()
        let store = try SQLStateStore(postgreSQL: try servers.settings(), schema: schema, library: try LibPQ())
        let connections = try (0..<2).map { _ in
            let connection = PostgreSQLConnection(
                try LibPQ(), try servers.settings().server, canceller: Canceller())
            try connection.connect()
            return connection
        }
        defer { for connection in connections { connection.close() } }
        try insert(1, on: connections[0], schema)
        try insert(2, on: connections[1], schema)
        try commit(connections[1])
        let first = try await store.sharedFacts(after: .start, excluding: Self.there, limit: 9)
        #expect(subjects(first) == ["2"])
        let none = try await store.sharedFacts(after: first.end, excluding: Self.there, limit: 9)
        #expect(none.facts.isEmpty)
        try commit(connections[0])
        let second = try await store.sharedFacts(after: none.end, excluding: Self.there, limit: 9)
        #expect(subjects(second) == ["1"])
        #expect(try await store.sharedFacts(after: second.end, excluding: Self.there, limit: 9).facts.isEmpty)
    }

    @Test(
        "Every change of many concurrent processes arrives, whatever the size of the pages", arguments: [1, 3, 2_000])
    func schedules(limit: Int) async throws {
        let kind = TestedStore<any SharedFactStore>.durable { $0 }[1]
        try await kind.with(5) { stores in
            let count = 300
            let arrived = try await withThrowingTaskGroup(of: Void.self) { group in
                for writer in 0..<4 {
                    group.addTask {
                        for number in stride(from: writer, to: count, by: 4) {
                            try await stores[writer].record([fact(number)], origin: Self.here)
                        }
                    }
                }
                var arrived: [[UInt8]: Int] = [:]
                var position = ChangePosition.start
                let deadline = ContinuousClock.now + .seconds(60)
                while arrived.count < count, ContinuousClock.now < deadline {
                    let page = try await stores[4].sharedFacts(after: position, excluding: Self.there, limit: limit)
                    for fact in page.facts { arrived[fact.id.subject, default: 0] += 1 }
                    position = page.end
                }
                try await group.waitForAll()
                return arrived
            }
            #expect(arrived.count == count)
            // A pass of one page reads no change again.
            if limit > count { #expect(arrived.values.allSatisfy { $0 == 1 }) }
        }
    }

    @Test("After a restore all changes are read again")
    func restored() async throws {
        let kind = TestedStore<any StateStore>.durable { $0 }[1]
        try await kind.with { store in
            try await store.record([fact(1)], origin: Self.here)
            let page = try await store.sharedFacts(after: .start, excluding: Self.there, limit: 9)
            #expect(try await store.sharedFacts(after: page.end, excluding: Self.there, limit: 9).facts.isEmpty)
            let database = try #require(store as? SQLStateStore).database
            try await database.write { db in try db.execute("UPDATE generation SET id = ?", [Data([7])]) }
            #expect(try await store.sharedFacts(after: page.end, excluding: Self.there, limit: 9).facts == [fact(1)])
        }
    }

    @Test("After a crash of the server all changes are read again, because numbers may have been assigned again")
    func crashed() async throws {
        try await StateServers.run { servers in
            let store = try SQLStateStore(
                postgreSQL: try servers.settings(), schema: StateServers.freshSchema(), library: try LibPQ())
            try await store.record([fact(1)], origin: Self.here)
            let page = try await store.sharedFacts(after: .start, excluding: Self.there, limit: 9)
            #expect(try await store.sharedFacts(after: page.end, excluding: Self.there, limit: 9).facts.isEmpty)
            // The server ends all connections and recovers when one of its processes is killed.
            let process = try await servers.instance.execute(
                "SELECT pid FROM pg_stat_activity WHERE usename = 'gatefold' LIMIT 1", database: "postgres")
            #expect(kill(try #require(pid_t(process)), SIGKILL) == 0)
            #expect(
                try await eventually(within: .seconds(30)) {
                    (try? await store.record([fact(2)], origin: Self.here)) != nil
                })
            let second = try await store.sharedFacts(after: page.end, excluding: Self.there, limit: 9)
            #expect(Set(second.facts.map(\.id)) == Set([1, 2].map { fact($0).id }))
        }
    }

    @Test("The end of all sessions raises the floor, and lets followers read all changes again")
    func ended() async throws {
        let kind = TestedStore<any StateStore>.durable { $0 }[1]
        try await kind.with { store in
            try await store.record(Revocation(publication: daily, subscriber: subscriber(1), session: nil, at: noon))
            try await store.record([fact(1)], origin: Self.here)
            let page = try await store.sharedFacts(after: .start, excluding: Self.there, limit: 9)
            let before = store.now
            let floor = try await store.endAllSessions()
            #expect(floor > before)
            #expect(try await store.sessionFloor() == floor)
            #expect(try await store.sharedFacts(after: page.end, excluding: Self.there, limit: 9).facts == [fact(1)])
            #expect(try await store.revocations(after: 0).count == 1)
        }
    }

    @Test("A state without a history reports no end of its sessions")
    func missingHistory() async throws {
        let servers = try #require(StateServers.current)
        let schema = StateServers.freshSchema()
        let store = try SQLStateStore(postgreSQL: try servers.settings(), schema: schema, library: try LibPQ())
        try await store.health()
        try await servers.instance.execute("DELETE FROM \(schema.name).generation", database: "state")
        await #expect(throws: StateStoreError.self) { try await store.endAllSessions() }
    }

    @Test("Reads the text of a snapshot")
    func snapshots() {
        #expect(ChangePosition.Horizon(snapshot: "10:20:10,14,15") == .init(end: 20, open: [10, 14, 15]))
        #expect(ChangePosition.Horizon(snapshot: "10:10:") == .init(end: 10, open: []))
        for text in ["", "10", "10:20", "10:x:", "10:20:a", "1:2:3:4"] {
            #expect(ChangePosition.Horizon(snapshot: text) == nil, "\(text)")
        }
    }
}
