import Accounts
import BackendFixtures
import Dispatch
import Foundation
import GRDB
import Gatefold
import PostgreSQL
import Primitives
import SQLAccess
import Synchronization
import TestSupport
import Testing

@testable import State

@Suite("Backup of a state in PostgreSQL", .stateServers) struct SharedStateBackupTests {
    /// The way to the server.
    enum Route: String, CaseIterable, Sendable, CustomTestStringConvertible {
        case direct, pgbouncer
        var testDescription: String { rawValue }
    }

    private func open(
        _ schema: PostgreSQLSchemaName = StateServers.freshSchema(), _ route: Route = .direct
    ) throws -> SQLStateStore {
        let servers = try #require(StateServers.current)
        let port = route == .direct ? servers.instance.port : servers.bouncer
        return try SQLStateStore(
            postgreSQL: try servers.settings(port: port), schema: schema, library: try LibPQ())
    }

    /// Returns a state with rows in every table.
    private func filled(
        in folder: String, _ route: Route = .direct, _ schema: PostgreSQLSchemaName = StateServers.freshSchema()
    ) async throws -> SQLStateStore {
        let store = try open(schema, route)
        let source = try SQLStateStore.filled(in: folder)
        _ = try await StateCopy(from: source, to: store, didProgress: { _ in }).run()
        try source.close()
        return store
    }

    @discardableResult
    private func backUp(
        _ store: SQLStateStore, _ file: String,
        _ didProgress: @escaping @Sendable (StateCopy.Progress) -> Void = { _ in }
    ) async throws -> StateBackup {
        try await SharedStateBackup.make(of: store, to: file, didProgress: didProgress)
    }

    @discardableResult
    private func restore(
        _ file: String, _ store: SQLStateStore, in folder: String,
        _ didProgress: @escaping @Sendable (StateCopy.Progress) -> Void = { _ in }
    ) async throws -> SharedStateRestore {
        try await SharedStateRestore.make(from: file, to: store, folder: folder + "/node", didProgress: didProgress)
    }

    /// Runs a body from a thread that may wait, and waits for its end.
    private func wait(for body: @escaping @Sendable () async throws -> Void) {
        let end = DispatchSemaphore(value: 0)
        Task {
            do { try await body() } catch { Issue.record(error) }
            end.signal()
        }
        end.wait()
    }

    @Test("A backup has every row, and is restored to both kinds of state", arguments: Route.allCases)
    func roundTrip(route: Route) async throws {
        try await withTemporaryFolder { folder in
            let store = try await filled(in: folder, route)
            let before = try await store.rows()
            let file = folder + "/backup"
            let backup = try await backUp(store, file)
            #expect(backup.revocations == before["revocation"]?.count)
            let attributes = try FileManager.default.attributesOfItem(atPath: file)
            #expect(attributes[.posixPermissions] as? Int == 0o600)
            #expect(attributes[.size] as? Int == backup.size)
            #expect(try await store.rows() == before)
            // A restore ends the links of the ended sessions.
            var expected = before
            #expect(expected.updateValue([], forKey: "owner_link")?.isEmpty == false)

            let shared = try open(StateServers.freshSchema(), route)
            try await shared.record(Revocation(publication: daily, subscriber: subscriber(99), session: nil, at: noon))
            #expect(try await restore(file, shared, in: folder).backup.revocations == backup.revocations)
            #expect(try await shared.rows() == expected)
            try await shared.health()

            let path = folder + "/embedded/state.sqlite"
            _ = try StateRestore.make(from: file, to: path, at: noon)
            let embedded = try SQLStateStore(path: path)
            #expect(!embedded.didFindOlderState)
            #expect(try await embedded.rows() == expected)
            // The numbers continue as they would have in the original.
            var next: Set<Int64> = []
            for each in [store, embedded] {
                try await each.record(
                    Revocation(publication: daily, subscriber: subscriber(77), session: nil, at: noon))
                next.insert(try #require(try await each.revocations(after: 0).map(\.sequence).max()))
            }
            #expect(next.count == 1)
            let names = try FileManager.default.subpathsOfDirectory(atPath: folder)
            #expect(!names.contains { $0.contains(".part") || $0.contains("restoring") }, "\(names)")
        }
    }

    @Test("The backup of an embedded state is restored to PostgreSQL, also that of an older release")
    func fromEmbedded() async throws {
        try await withTemporaryFolder { folder in
            for frozen in FrozenSchema.all(of: "state") {
                let path = "\(folder)/\(frozen.name)"
                let queue = try DatabaseQueue(path: path)
                try await queue.writeWithoutTransaction { try $0.execute(sql: frozen.sql) }
                try queue.close()
                _ = try StateBackup.make(of: path, to: path + ".backup")
                let store = try open()
                try await restore(path + ".backup", store, in: folder)
                var expected = try await SQLStateStore(path: path).rows()
                expected["owner_link"] = []
                #expect(try await store.rows() == expected, "\(frozen.name)")
            }
        }
    }

    @Test("A backup is a snapshot of one moment, while nodes write", arguments: Route.allCases)
    func snapshot(route: Route) async throws {
        try await withTemporaryFolder { folder in
            let store = try await filled(in: folder, route)
            let before = try await store.rows()
            let writes = Atomic(0)
            try await backUp(store, folder + "/backup") { progress in
                // Some tables are copied by then, the others not. Later, some are compared.
                guard ["receipt", "push_token"].contains(progress.table) else { return }
                let number = writes.add(1, ordering: .relaxed).newValue
                wait {
                    try await store.database.write { db in
                        try db.execute(
                            "INSERT INTO known_device (digest, seen, identifier) VALUES (?, 1.0, ?)",
                            [Data([UInt8(number)]), Data([1])])
                        try db.execute("DELETE FROM device")
                        try db.execute("DELETE FROM pin_code")
                        try db.execute("DELETE FROM account")
                        try db.execute("INSERT INTO item_number (publication, name) VALUES ('daily', ?)", ["\(number)"])
                    }
                }
            }
            #expect(writes.load(ordering: .relaxed) == 4)
            let path = folder + "/restored/state.sqlite"
            _ = try StateRestore.make(from: folder + "/backup", to: path, at: noon)
            var expected = before
            expected["owner_link"] = []
            #expect(try await SQLStateStore(path: path).rows() == expected)
        }
    }

    @Test("A backup locks all tables before its moment, so that no migration falls between", arguments: Route.allCases)
    func locks(route: Route) async throws {
        try await withTemporaryFolder { folder in
            let servers = try #require(StateServers.current)
            let schema = StateServers.freshSchema()
            let store = try await filled(in: folder, route, schema)
            let limits = PostgreSQLConnection.Limits(rows: 9, time: .seconds(30))
            let migration = PostgreSQLConnection(
                try LibPQ(), try servers.settings().server, canceller: Canceller())
            defer { migration.close() }
            try migration.connect()
            _ = try migration.script(
                "BEGIN; LOCK TABLE \(schema.name).shared_fact IN ACCESS EXCLUSIVE MODE", limits)
            let locked = Locked<Set<String>>([])
            async let backup = backUp(store, folder + "/backup") { progress in
                guard progress.table == "token_bounds" else { return }
                wait {
                    let names = try await servers.instance.execute(
                        """
                        SELECT string_agg(DISTINCT relation::regclass::text, ' ') FROM pg_locks
                        WHERE mode = 'AccessShareLock' AND granted AND pid <> pg_backend_pid()
                            AND relation::regclass::text LIKE '\(schema.name).%'
                        """, database: "state")
                    locked.withLock { $0.formUnion(names.split(separator: " ").map(String.init)) }
                }
            }
            try await eventually("the backup waits for the migration") {
                try await servers.instance.execute(
                    """
                    SELECT count(*) FROM pg_locks
                    WHERE relation = '\(schema.name).shared_fact'::regclass AND NOT granted
                    """, database: "state") == "1"
            }
            _ = try migration.script(
                "INSERT INTO \(schema.name).known_device (digest, seen, identifier) VALUES ('late', 1.0, 'x'); COMMIT",
                limits)
            _ = try await backup
            for table in StateTable.all.map(\.name) + ["generation", "lease", "migration"] {
                #expect(locked.withLock { $0.contains("\(schema.name).\(table)") }, "\(table)")
            }
            let copied = try await DatabaseQueue(path: folder + "/backup").read { db in
                try Bool.fetchOne(
                    db, sql: "SELECT EXISTS (SELECT 1 FROM known_device WHERE digest = CAST('late' AS BLOB))")
            }
            #expect(copied == true)
        }
    }

    @Test("Pitfall 34: a restore ends all sessions, and followers read all changes again", arguments: Route.allCases)
    func sessions(route: Route) async throws {
        try await withTemporaryFolder { folder in
            let schema = StateServers.freshSchema()
            let (store, node) = (try open(schema, route), try open(schema, route))
            let early = Revocation(publication: daily, subscriber: subscriber(1), session: nil, at: noon)
            try await store.record(early)
            try await backUp(store, folder + "/backup")
            // A session that counts as issued in the future is ended, too.
            let ahead = Date(timeIntervalSince1970: (store.clock.now.timeIntervalSince1970 + 1_000).rounded())
            let late = Revocation(publication: daily, subscriber: subscriber(2), session: nil, before: ahead)
            try await store.record(late)
            let read = try await node.revocations(after: .start, limit: 9)
            #expect(read.records.map(\.revocation) == [early, late])
            #expect(try await node.revocations(after: read.end, limit: 9).records.isEmpty)
            let history = try await node.history()

            let restored = try await restore(folder + "/backup", store, in: folder)
            #expect(restored.sessionFloor > ahead)
            #expect(try await node.sessionFloor() == restored.sessionFloor)
            #expect(try await node.history().generation != history.generation)
            #expect(try await node.revocations(after: read.end, limit: 9).records.map(\.revocation) == [early])
            // A further restore ends the sessions of the former one.
            let again = try await restore(folder + "/backup", store, in: folder)
            #expect(again.sessionFloor > restored.sessionFloor)
        }
    }

    @Test("A restore never reuses a number, and never shortens the lifetime of revocations")
    func formerValues() async throws {
        try await withTemporaryFolder { folder in
            let store = try await filled(in: folder)
            let (known, new) = (PublicationID("known")!, PublicationID("new")!)
            let short = TokenBounds(lifetime: 10, afterExpiry: 10)
            try await store.record(short, of: known)
            try await backUp(store, folder + "/backup")
            try await store.record(TokenBounds(lifetime: 1_000, afterExpiry: 20), of: known)
            try await store.record(short, of: new)
            let lost = try await store.open(buyer(7)).number
            try await restore(folder + "/backup", store, in: folder)
            let bounds = try await store.database.read { db in
                (try TokenBoundsRow.bounds(db, of: known), try TokenBoundsRow.bounds(db, of: new))
            }
            #expect(bounds.0 == TokenBounds(lifetime: 1_000, afterExpiry: 20) && bounds.1 == short)
            #expect(try await store.open(buyer(8)).number > lost)
        }
    }

    @Test("A restore is refused while a node uses the state")
    func liveNodes() async throws {
        try await withTemporaryFolder { folder in
            let store = try open()
            try await backUp(store, folder + "/backup")
            let node = NodeIdentity(id: [1], name: "node 1", version: "1", started: noon)
            _ = try await store.heartbeat(node, behind: 0) { _ in [:] }
            let revocation = Revocation(publication: daily, subscriber: subscriber(1), session: nil, at: noon)
            try await store.record(revocation)
            let error = await #expect(throws: StateBackupError.usedByNodes(["node 1"])) {
                try await restore(folder + "/backup", store, in: folder)
            }
            #expect(error?.description.contains("the node node 1; expected all nodes to be stopped") == true)
            #expect(try await store.revocations(after: 0).count == 1)
            #expect(try await store.sessionFloor() == nil)
            // A lost node counts for a minute.
            try await store.database.write { db in
                try db.execute("UPDATE node SET heard = heard - ?", [SharedStateRestore.nodeTimeout + 1])
            }
            try await restore(folder + "/backup", store, in: folder)
            #expect(try await store.revocations(after: 0).isEmpty)
        }
    }

    @Test("A restore that is interrupted changes nothing, and succeeds later", arguments: Route.allCases)
    func interrupted(route: Route) async throws {
        try await withTemporaryFolder { folder in
            let instance = try #require(StateServers.current).instance
            let schema = StateServers.freshSchema()
            let store = try await filled(in: folder, route, schema)
            try await backUp(store, folder + "/backup")
            let revocation = Revocation(publication: daily, subscriber: subscriber(1), session: nil, at: noon)
            try await store.record(revocation)
            let before = (try await store.rows(), try await store.sessionFloor())
            await #expect(throws: StateStoreError.self) {
                try await restore(folder + "/backup", store, in: folder) { progress in
                    guard progress.table == "claim" else { return }
                    wait {
                        try await instance.execute(
                            """
                            SELECT pg_terminate_backend(pid) FROM pg_locks
                            WHERE relation = '\(schema.name).claim'::regclass AND mode = 'ExclusiveLock'
                            """, database: "state")
                    }
                }
            }
            try await eventually("the server is reachable") { (try? await store.health()) != nil }
            #expect(try await store.rows() == before.0)
            #expect(try await store.sessionFloor() == before.1)
            try await store.checkIsComplete()
            try await restore(folder + "/backup", store, in: folder)
            #expect(try await store.sessionFloor() != before.1)
        }
    }

    @Test("A backup replaces no file, and leaves none when it fails")
    func files() async throws {
        try await withTemporaryFolder { folder in
            let store = try open()
            let file = folder + "/backup"
            try Data([1]).write(to: URL(fileURLWithPath: file))
            await #expect(throws: StateBackupError.fileExists(path: file)) { try await backUp(store, file) }
            #expect(FileManager.default.contents(atPath: file) == Data([1]))
            await #expect(throws: StateBackupError.self) { try await backUp(store, folder + "/missing/backup") }
            // Another file takes the name during the backup.
            let taken = folder + "/taken"
            await #expect(throws: StateBackupError.fileExists(path: taken)) {
                try await store.record(
                    Revocation(publication: daily, subscriber: subscriber(1), session: nil, at: noon))
                try await backUp(store, taken) { _ in
                    _ = FileManager.default.createFile(atPath: taken, contents: Data([2]))
                }
            }
            #expect(FileManager.default.contents(atPath: taken) == Data([2]))
            #expect(try Set(FileManager.default.contentsOfDirectory(atPath: folder)) == ["backup", "taken"])
        }
    }

    @Test("A restore rejects files that are not a backup, and changes nothing")
    func wrongFiles() async throws {
        try await withTemporaryFolder { folder in
            let store = try open()
            try await store.record(Revocation(publication: daily, subscriber: subscriber(1), session: nil, at: noon))
            try Data(repeating: 7, count: 5_000).write(to: URL(fileURLWithPath: folder + "/garbage"))
            let other = try DatabaseQueue(path: folder + "/other")
            try await other.write { try $0.execute(sql: "CREATE TABLE a (b)") }
            for name in ["garbage", "other"] {
                let error = await #expect(throws: StateBackupError.self, "\(name)") {
                    try await restore("\(folder)/\(name)", store, in: folder)
                }
                #expect(error?.description.contains("\(folder)/\(name)") == true)
            }
            await #expect(throws: StateBackupError.noBackup(path: folder + "/missing")) {
                try await restore(folder + "/missing", store, in: folder)
            }
            // A copy that is not complete is no state.
            let part = try SQLStateStore(path: folder + "/part")
            try await part.database.write { db in
                try db.execute(
                    "INSERT INTO lease (name, owner, ends, ends_set) VALUES (?, ?, 0.0, 0.0)",
                    [StateCopy.marker, Data([1])])
            }
            try part.close()
            await #expect(throws: StateStoreError.self) { try await restore(folder + "/part", store, in: folder) }
            #expect(try await store.revocations(after: 0).count == 1)
            #expect(try await store.sessionFloor() == nil)
        }
    }

    @Test("Neither backup nor restore ignores tables of a newer release")
    func newer() async throws {
        try await withTemporaryFolder { folder in
            let store = try open()
            try await backUp(store, folder + "/backup")
            let newer = try DatabaseQueue(path: folder + "/backup")
            try await newer.write { db in
                try db.execute(sql: "INSERT INTO grdb_migrations VALUES ('99 later')")
            }
            await #expect(throws: NewerSchema(unknown: ["99 later"])) {
                try await restore(folder + "/backup", store, in: folder)
            }
            // Also if this release may use them otherwise.
            try await newer.write { try $0.execute(sql: "INSERT INTO schema_compatibility VALUES (99, 1)") }
            await #expect(throws: NewerSchema(unknown: ["99 later"])) {
                try await restore(folder + "/backup", store, in: folder)
            }
            try await newer.write { try $0.execute(sql: "DELETE FROM grdb_migrations WHERE identifier = '99 later'") }
            try await store.database.write { db in
                try db.execute("INSERT INTO migration VALUES (99, 'later', 'x')")
                try db.execute("INSERT INTO schema_compatibility VALUES (99, 1)")
            }
            await #expect(throws: NewerSchema(unknown: ["99 later"])) { try await backUp(store, folder + "/second") }
            let error = await #expect(throws: StateStoreError.self) {
                try await restore(folder + "/backup", store, in: folder)
            }
            #expect(error?.isNewerSchema == true)
        }
    }

    @Test("A backup copies no state that is not complete")
    func incomplete() async throws {
        try await withTemporaryFolder { folder in
            let store = try open()
            try await store.database.write { db in
                try db.execute(
                    "INSERT INTO lease (name, owner, ends, ends_set) VALUES (?, ?, 0.0, 0.0)",
                    [StateCopy.marker, Data([1])])
            }
            await #expect(throws: StateStoreError.self) { try await backUp(store, folder + "/backup") }
            #expect(try FileManager.default.contentsOfDirectory(atPath: folder).isEmpty)
        }
    }
}
