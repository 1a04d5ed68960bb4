import BackendFixtures
import Dispatch
import Foundation
import Gatefold
import PasswordHashing
import PostgreSQL
import Primitives
import SQLAccess
import Settings
import State
import Synchronization
import TestSupport
import Testing

@testable import Backends
@testable import Resilience

#if canImport(Glibc)
    import Glibc
#endif

@Suite("Subscribers that several nodes share", .registryServers) struct SharedRegistryTests {
    private static let ada = "ada@example.com"
    private static let schemas = Atomic(0)
    private static let pseudonymKey = PseudonymKey(Secret(Array("a secret for pseudonyms".utf8)))

    /// A node: a protected backend with its cache, and the facts that it exchanges with the other nodes.
    private struct Node {
        let backend: ProtectedBackend
        let database: SubscriberDatabase
        let store: SQLStateStore
        let writer: SharedFactWriter
        let follower: SharedFactFollower

        /// - Parameter number: The number of the node, which identifies its facts.
        init(_ number: UInt8, _ kind: RegistryBackendKind, _ store: SQLStateStore) throws {
            let writer = SharedFactWriter(store: store, origin: [number])
            var services = BackendServices(
                clock: .system, random: .system,
                passwords: PasswordVerifier(hasher: try testHasher(), concurrency: 2), pseudonymKey: pseudonymKey)
            services.credentialFacts = CredentialFacts(record: { writer.add($0) })
            let opened = try #require(try kind.open(services) as? SubscriberDatabaseBackend)
            let backend = ProtectedBackend(
                opened, varyingFields: kind.varyingFields, decidesEditions: kind.decidesEditions, services: services)
            self.backend = backend
            self.store = store
            self.writer = writer
            database = opened.database
            let facts = services.credentialFacts
            follower = SharedFactFollower(store: store, writer: writer) { fact, _ in
                facts.follow(fact)
                backend.follow(fact)
            }
        }

        func signIn(_ password: String) async throws -> Subscriber? {
            let result = try await backend.authenticate(credentials(ada, password), context: CallContext()).value
            if case .authenticated(let subscriber) = result { return subscriber }
            return nil
        }

        func state(of subscriber: Subscriber) async throws -> SubscriptionState {
            try await backend.subscription(of: subscriber, context: CallContext()).value.state
        }
    }

    private func state() throws -> SQLStateStore {
        let servers = try #require(StateServers.current)
        let name = "registry_state_\(Self.schemas.add(1, ordering: .relaxed).newValue)"
        let settings = try YAMLSettings.read(
            text: """
                connection:
                  hosts: ["127.0.0.1:\(servers.instance.port)"]
                  database: state
                  user: \(StateServers.user)
                  password: {env: STATE_PASSWORD}
                pool: {size: 2}
                """, name: "state.yaml", folder: servers.instance.folder.path,
            environment: ["STATE_PASSWORD": StateServers.password])
        return try SQLStateStore(
            postgreSQL: try PostgreSQLSettings(settings, for: .state),
            schema: try #require(PostgreSQLSchemaName(name)), library: try LibPQ())
    }

    private func kind(_ more: String = "") throws -> RegistryBackendKind {
        let schema = "shared_\(Self.schemas.add(1, ordering: .relaxed).newValue)"
        return try TestedSubscriberStore.kind(.pgbouncer, schema: schema, more: more)
    }

    /// Returns nodes with a registry in which ada has registered, and the kind that opens it.
    private func nodes(
        _ count: Int
    ) async throws -> (nodes: [Node], subscriber: Subscriber, kind: RegistryBackendKind) {
        let kind = try kind("self_service: true")
        let store = try state()
        let nodes = try (0..<count).map { try Node(UInt8($0), kind, store) }
        let registry = try #require(nodes[0].backend.registry)
        let subscriber = try #require(try await registry.register(identifier: Self.ada, password: "first password"))
        return (nodes, subscriber, kind)
    }

    /// Lets facts reach all nodes, as the servers do every second.
    private func exchange(_ nodes: [Node]) async throws {
        for node in nodes { try await node.writer.flush() }
        for node in nodes { try await node.follower.catchUp() }
    }

    @Test("A password that is changed through one node is the only one at the others, which had cached the former")
    func password() async throws {
        let (nodes, subscriber, _) = try await nodes(2)
        #expect(try await nodes[1].signIn("first password") == subscriber)
        try await exchange(nodes)
        let registry = try #require(nodes[0].backend.registry)
        let revision = try #require(try await registry.passwordRevision(of: subscriber))
        #expect(try await registry.setPassword("other password", of: subscriber, replacing: revision))
        // Without the fact, the other node would continue to use its cache.
        #expect(try await nodes[1].signIn("first password") == subscriber)
        try await exchange(nodes)
        #expect(try await nodes[1].signIn("first password") == nil)
        #expect(try await nodes[1].signIn("other password") == subscriber)
    }

    @Test("A state that a command changes is in force at all nodes, which had cached the former")
    func command() async throws {
        let (nodes, subscriber, kind) = try await nodes(2)
        try await nodes[0].database.setState(.active, of: Self.ada)
        for node in nodes { #expect(try await node.state(of: subscriber) == .active) }
        try await exchange(nodes)
        let database = try kind.openDatabase()
        for scope in [BackendInvalidation.Scope.subscriber(subscriber, identifier: " ADA@example.com"), .all] {
            let next: SubscriberRecord.State = scope == .all ? .active : .suspended
            try await database.setState(next, of: Self.ada)
            let before = try await nodes[1].state(of: subscriber)
            #expect(before.rawValue != next.rawValue)
            let command = SharedFactWriter(store: nodes[0].store, origin: [9])
            for fact in BackendInvalidation.facts(
                scope, in: "embedded", ProtectionSettings(), pseudonymKey: Self.pseudonymKey, at: .now)
            { command.add(fact) }
            try await command.flush()
            try await exchange(nodes)
            for node in nodes { #expect(try await node.state(of: subscriber).rawValue == next.rawValue) }
        }
    }

    @Test("A migrated reader who takes the place of another one ends what other nodes had cached of both")
    func migratedReader() async throws {
        let (kind, store) = (try kind(), try state())
        let nodes = try (0..<2).map { try Node(UInt8($0), kind, store) }
        func migrate(_ node: Node, _ password: String, _ key: String) async throws {
            let reference = Self.pseudonymKey.reference(to: Subscriber(backend: "legacy", key: key))
            let outcome = try await node.backend.migrate(
                credentials(Self.ada, password), from: [LazyMigrationOrigin(backend: "legacy", reference: reference)],
                subscription: Subscription(state: .active, entitlement: .allEditions))
            #expect(outcome == .written)
        }
        try await migrate(nodes[1], "first password", "1")
        let former = try #require(try await nodes[1].signIn("first password"))
        #expect(try await nodes[1].state(of: former) == .active)
        try await exchange(nodes)
        // This node has cached nothing of the former reader.
        try await migrate(nodes[0], "other password", "2")
        try await exchange(nodes)
        #expect(try await nodes[1].state(of: former) == .unknown)
        #expect(try await nodes[1].signIn("first password") == nil)
        #expect(try await nodes[1].signIn("other password") != nil)
    }

    @Test("A better hash of a password is not stored while another writer has locked the row")
    func lockedRow() async throws {
        let kind = try kind()
        let (database, other) = (try kind.openDatabase(), try kind.openDatabase())
        let id = try #require(try await database.register(Self.ada, hash: "$1$salt$former"))
        let (locked, lock) = AsyncStream.makeStream(of: Void.self)
        let end = DispatchSemaphore(value: 0)
        let writer = Task {
            try await other.store.write { db in
                try db.execute("UPDATE subscriber SET updated = updated + 1 WHERE id = ?", [id])
                lock.yield()
                end.wait()
            }
        }
        for await _ in locked { break }
        let error = await #expect(throws: SubscriberDatabaseError.self) {
            try await database.upgradePassword(of: id, from: "$1$salt$former", to: "$1$salt$better")
        }
        end.signal()
        _ = try await writer.value
        // lock_not_available
        #expect(error?.description.contains("55P03") == true, "\(String(describing: error))")
        try await database.upgradePassword(of: id, from: "$1$salt$former", to: "$1$salt$better")
        #expect(try await database.find(Self.ada)?.passwordHash == "$1$salt$better")
    }

    @Test("Concurrent registrations of one identifier at several nodes have one winner")
    func registrations() async throws {
        let kind = try kind("self_service: true")
        let registries = try (0..<3).map { number in
            try #require(
                SubscriberDatabaseBackend(
                    name: "embedded", database: try kind.openDatabase(), proof: kind.registry.proof,
                    isSelfService: true,
                    verifier: PasswordVerifier(hasher: try testHasher(), concurrency: 2)
                ).registry)
        }
        for round in 0..<20 {
            let made = try await withThrowingTaskGroup(of: Subscriber?.self, returning: [Subscriber].self) { group in
                for number in 0..<12 {
                    group.addTask {
                        try await registries[number % 3].register(
                            identifier: "reader-\(round)", password: "password \(number)")
                    }
                }
                var made: [Subscriber] = []
                for try await case let subscriber? in group { made.append(subscriber) }
                return made
            }
            #expect(made.count == 1)
            for registry in registries {
                #expect(try await registry.subscriber(identifiedBy: "reader-\(round)") == made.first)
            }
        }
    }

    @Test("Concurrent password changes at several nodes have one winner for each revision")
    func changes() async throws {
        let (nodes, subscriber, _) = try await nodes(3)
        for _ in 0..<10 {
            let registries = try nodes.map { try #require($0.backend.registry) }
            let revision = try #require(try await registries[0].passwordRevision(of: subscriber))
            let set = try await withThrowingTaskGroup(of: Bool.self) { group in
                for number in 0..<9 {
                    group.addTask {
                        try await registries[number % 3].setPassword(
                            "password \(number)", of: subscriber, replacing: revision)
                    }
                }
                return try await group.reduce(0) { $0 + ($1 ? 1 : 0) }
            }
            #expect(set == 1)
        }
    }

    @Test("Registrations and changes during an import lose nothing, and the import is complete")
    func besideAnImport() async throws {
        let kind = try kind("self_service: true")
        let (imported, other) = (try kind.openDatabase(), try kind.openDatabase())
        let hasher = try testHasher()
        let hash = try hasher.hash("right")
        let folder = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString + ".csv")
        defer { try? FileManager.default.removeItem(at: folder) }
        var text = "identifier,state\n"
        for number in 0..<4_000 { text += "reader-\(number),active\n" }
        try Data(text.utf8).write(to: folder)
        let path = folder.path
        let report = Task {
            try await SubscriberImport(into: imported, hasher: hasher).run(file: path)
        }
        var added: [String] = []
        for number in 0..<300 {
            let identifier = "registered-\(number)"
            #expect(try await other.register(identifier, hash: hash) != nil)
            added.append(identifier)
            _ = try await other.setState(.suspended, of: identifier)
            // The same identifiers as those of the import.
            _ = try await other.register("reader-\(number * 13)", hash: hash)
        }
        #expect(try await report.value.isCommitted)
        let counts = try await other.counts()
        #expect(counts[.active] == 4_000)
        #expect(counts[.suspended] == added.count)
    }

    @Test("An import that lost its lock writes nothing more")
    func paused() async throws {
        let kind = try kind()
        let (first, second) = (try kind.openDatabase(), try kind.openDatabase())
        let lock = try await first.store.lockImports()
        await #expect(throws: ImportError.anotherImport) { try await second.store.lockImports() }
        // The first import was paused for longer than the lifetime.
        try await first.store.write { _ = try $0.execute("UPDATE import_lock SET ends = 0") }
        let next = try await second.store.lockImports()
        await #expect(throws: ImportError.anotherImport) {
            try await first.store.write { db in
                try lock.check(db)
                try db.execute("INSERT INTO import (rows, bad_rows) VALUES (0, 0)")
            }
        }
        // Its release does not release the lock of the second one.
        await lock.release()
        await #expect(throws: ImportError.anotherImport) { try await first.store.lockImports() }
        await next.release()
        try await first.store.lockImports().release()
    }

    @Test("An export of several pages holds each subscriber once, with all entries")
    func pages() async throws {
        let kind = try kind()
        let database = try kind.openDatabase()
        let path = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString + ".csv").path
        defer { try? FileManager.default.removeItem(atPath: path) }
        var text = "identifier,state,editions\r\n"
        for number in 0..<2_500 { text += "reader-\(number),active,e-\(number);f-\(number)\r\n" }
        try Data(text.utf8).write(to: URL(fileURLWithPath: path))
        _ = try await SubscriberImport(into: database, hasher: try testHasher()).run(file: path)
        let bytes = Mutex<[UInt8]>([])
        #expect(try await database.export { chunk in bytes.withLock { $0 += chunk } } == 2_500)
        let lines = String(decoding: bytes.withLock { $0 }, as: UTF8.self).split(separator: "\r\n").dropFirst()
        let expected = (0..<2_500).map { "reader-\($0),,active,,false,,e-\($0);f-\($0)," }
        #expect(lines.map(String.init).sorted() == expected.sorted())
    }

    @Test("Nodes that start at the same time create the tables once, and those of a newer release are rejected")
    func migration() async throws {
        let kind = try kind()
        try await withThrowingTaskGroup(of: Void.self) { group in
            for _ in 0..<6 { group.addTask { try await kind.openDatabase().health() } }
            try await group.waitForAll()
        }
        let database = try kind.openDatabase()
        let counts = try await database.store.read { db in
            [try db.count("SELECT count(*) FROM migration"), try db.count("SELECT count(*) FROM dummy_hash")]
        }
        #expect(counts == [1, 1])
        try await database.store.write { db in
            _ = try db.execute("INSERT INTO migration (number, name, checksum) VALUES (99, 'future', 'x')")
        }
        let error = #expect(throws: SubscriberDatabaseError.self) { try kind.openDatabase() }
        #expect(error?.isNewerSchema == true)
    }

    @Test("The migrations never change")
    func checksums() {
        #expect(
            PostgreSQLSubscriberSchema.migrations.map(\.checksum) == [
                "34bdd7942b86e03e32fad2399f5d690b5de59d15e89b3cafbc9f182b48d2d2c2"
            ])
    }

    @Test("A registry that cannot be reached is opened later")
    func away() async throws {
        try await PostgreSQLInstance.run { instance in
            try await instance.execute("CREATE ROLE gatefold LOGIN PASSWORD 'secret'")
            try await instance.execute("GRANT CREATE ON DATABASE readers TO gatefold")
            await instance.server.stop(SIGQUIT)
            let settings = try YAMLSettings.read(
                text: """
                    kind: registry
                    connection:
                      hosts: ["127.0.0.1:\(instance.port)"]
                      database: readers
                      user: gatefold
                      password: {env: REGISTRY_PASSWORD}
                    """, name: "registry.yaml", folder: instance.folder.path,
                environment: ["REGISTRY_PASSWORD": "secret"])
            let kind = try #require(
                try BackendRegistry.read(name: "readers", settings: settings) as? RegistryBackendKind)
            try settings.finish()
            #expect(kind.isRemote && kind.maxConcurrent == 10 && kind.checkedProofs == ["password"])
            let database = try kind.openDatabase()
            await #expect(throws: SubscriberDatabaseError.self) { try await database.health() }
            await #expect(throws: SubscriberDatabaseError.self) { try await database.find(Self.ada) }
            try await instance.start()
            // For a second after a failure, calls fail without an attempt.
            while (try? await database.health()) == nil { try await Task.sleep(for: .milliseconds(100)) }
            #expect(try await database.register(Self.ada, hash: "$1$salt$hash") != nil)
            #expect(try await database.find(Self.ada) != nil)
        }
    }

    @Test(
        "Unsuitable settings are rejected",
        arguments: [
            ("schema: Upper", "schema: expected up to 63 lower-case letters"),
            ("self_service: true\ncheck_proof: false", "self_service: expected a password for a proof"),
        ])
    func settings(more: String, expected: String) throws {
        let error = try #require(throws: SettingsError.self) {
            try BackendRegistry.read(
                name: "readers",
                settings: try backendSettings(
                    "kind: registry\nconnection: {hosts: [db], database: state, user: gatefold}\n" + more))
        }
        #expect("\(error)".contains(expected), "\(error)")
    }
}
