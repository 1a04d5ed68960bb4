import Foundation
import GRDB
import Gatefold
import TestSupport
import Testing

@testable import Backends

@Suite("Readers who register in the embedded database") struct SelfServiceTests {
    private static let ada = "ada@example.com"

    private struct Rig {
        let bench: Bench
        let backend: SQLiteSubscriberBackend
        let registry: any SubscriberRegistry

        init() throws {
            bench = try Bench()
            backend = bench.backend(isSelfService: true)
            registry = try #require(backend.registry)
        }

        @discardableResult
        func register(_ identifier: String = ada, _ password: String = "first password") async throws -> Subscriber {
            try #require(try await registry.register(identifier: identifier, password: password))
        }

        func signIn(_ password: String, _ identifier: String = ada) async throws -> Subscriber? {
            let answer = try await backend.recognise(credentials(identifier, password), inquiry: Inquiry())
            if case .recognised(let subscriber) = answer { return subscriber }
            return nil
        }

        func mark(_ subscriber: Subscriber) async throws -> [UInt8] {
            try #require(try await registry.passwordMark(of: subscriber))
        }
    }

    @Test("are recognised by what they chose, under any spelling, and have no subscription yet")
    func registering() async throws {
        let rig = try Rig()
        let who = try await rig.register(" Ada@Example.com")
        #expect(who.backend == "embedded")
        #expect(try await rig.signIn("first password") == who)
        #expect(try await rig.signIn("other password") == nil)
        #expect(
            try await rig.backend.subscription(of: who, inquiry: Inquiry())
                == Subscription(state: .inactive, entitlement: .editions([])))
        let record = try #require(try await rig.bench.database.find(Self.ada))
        #expect(record.registered == rig.bench.clock.now && record.adopted == nil && record.state == .automatic)
        #expect(record.passwordHash?.hasPrefix("$y$") == true)
        #expect(try await rig.registry.subscriber(identifiedBy: "ADA@example.com ") == who)
        #expect(try await rig.registry.identifier(of: who) == Self.ada)
        #expect(rig.registry.passwordField == "password" && rig.registry.name == "embedded")
    }

    @Test("have one row for an identifier, whoever comes first and however many come at once")
    func taken() async throws {
        let rig = try Rig()
        let made = try await withThrowingTaskGroup(of: Bool.self) { group in
            for number in 0..<20 {
                group.addTask {
                    try await rig.registry.register(identifier: Self.ada, password: "password \(number)") != nil
                }
            }
            return try await group.reduce(0) { $0 + ($1 ? 1 : 0) }
        }
        #expect(made == 1)
        _ = rig.bench.counter.take()
        #expect(try await rig.registry.register(identifier: Self.ada, password: "another one") == nil)
        // A taken one costs no hash.
        #expect(rig.bench.counter.take().isEmpty)
        try await rig.bench.load("identifier,password\nbob@example.com,right one\n")
        #expect(try await rig.registry.register(identifier: "BOB@example.com", password: "another one") == nil)
        for identifier in ["", " ", "a\u{0}b", String(repeating: "a", count: 1025)] {
            #expect(try await rig.registry.register(identifier: identifier, password: "another one") == nil)
        }
        #expect(try await rig.signIn("right one", "bob@example.com") != nil)
    }

    @Test("set a password only in place of the one they know of, and one of many at once")
    func setting() async throws {
        let rig = try Rig()
        let who = try await rig.register()
        let mark = try await rig.mark(who)
        #expect(try await rig.mark(who) == mark)
        // The clock stands still: the mark goes by no moment.
        #expect(try await rig.registry.setPassword("other password", of: who, replacing: mark))
        #expect(try await rig.signIn("first password") == nil)
        #expect(try await rig.signIn("other password") == who)
        _ = rig.bench.counter.take()
        #expect(try await !rig.registry.setPassword("third password", of: who, replacing: mark))
        #expect(try await !rig.registry.setPassword("third password", of: who, replacing: []))
        #expect(rig.bench.counter.take().isEmpty)
        let present = try await rig.mark(who)
        let set = try await withThrowingTaskGroup(of: Bool.self) { group in
            for number in 0..<10 {
                group.addTask {
                    try await rig.registry.setPassword("password \(number)", of: who, replacing: present)
                }
            }
            return try await group.reduce(0) { $0 + ($1 ? 1 : 0) }
        }
        #expect(set == 1)
        // The same password again is another one, too.
        let last = try await rig.mark(who)
        #expect(try await rig.registry.setPassword("password 1", of: who, replacing: last))
        #expect(try await rig.mark(who) != last)
    }

    @Test("have a mark that every change of the password moves, and a better hash of the same one does not")
    func marks() async throws {
        let rig = try Rig()
        let md5 = try #require(ForeignHash.all.first { $0.scheme == .md5 })
        try await rig.bench.load("identifier,password_hash\n\(Self.ada),\(md5.hash)\n")
        let who = try #require(try await rig.registry.subscriber(identifiedBy: Self.ada))
        let mark = try await rig.mark(who)
        #expect(try await rig.signIn(ForeignHash.password) == who)
        let upgraded = try #require(try await rig.bench.database.find(Self.ada)?.passwordHash)
        #expect(upgraded.hasPrefix("$y$"))
        #expect(try await rig.mark(who) == mark)
        var seen = [mark]
        func expectMoved(_ what: Comment) async throws {
            let next = try await rig.mark(who)
            #expect(!seen.contains(next), what)
            seen.append(next)
        }
        try await rig.bench.load("identifier,password\n\(Self.ada),a new one\n")
        try await expectMoved("import")
        try await rig.bench.database.setPassword(hash: upgraded, of: Self.ada)
        try await expectMoved("by hand")
        // Neither a state nor an import of the same hash is another password.
        try await rig.bench.database.setState(.suspended, of: Self.ada)
        try await rig.bench.load("identifier,password_hash\n\(Self.ada),\(upgraded)\n")
        #expect(try await rig.mark(who) == seen.last)
        try await rig.bench.database.setPassword(hash: nil, of: Self.ada)
        // The operator closed the sign-in: no mail opens it.
        #expect(try await rig.registry.passwordMark(of: who) == nil)
        #expect(try await !rig.registry.setPassword("other password", of: who, replacing: try #require(seen.last)))
    }

    @Test("leave for good, with all that belongs to them, and their number goes to nobody else")
    func erasing() async throws {
        let rig = try Rig()
        let who = try await rig.register()
        try await rig.bench.load(
            "identifier,periods,editions,categories\n\(Self.ada),2026-01-01/,com.example.1,http://example.com/tier=gold\n"
        )
        #expect(try await rig.registry.erase(who))
        #expect(try await !rig.registry.erase(who))
        try rig.bench.otherConnection { db throws in
            for table in ["subscriber", "period", "edition", "category"] {
                #expect(try Int.fetchOne(db, sql: "SELECT count(*) FROM \(table)") == 0, "\(table)")
            }
        }
        #expect(try await rig.register() != who)
        #expect(try await rig.backend.subscription(of: who, inquiry: Inquiry()).state == .unknown)
    }

    @Test("Another backend's subscriber, and a key that was never written, are nobody")
    func strangers() async throws {
        let rig = try Rig()
        try await rig.register()
        let nobody = [
            Subscriber(backend: "other", key: "1"), Subscriber(backend: "embedded", key: "01"),
            Subscriber(backend: "embedded", key: "+1"), Subscriber(backend: "embedded", key: ""),
            Subscriber(backend: "embedded", key: "99999999999999999999"), Subscriber(backend: "embedded", key: "2"),
        ]
        for subscriber in nobody {
            #expect(try await rig.registry.passwordMark(of: subscriber) == nil)
            #expect(try await rig.registry.identifier(of: subscriber) == nil)
            #expect(try await !rig.registry.erase(subscriber))
            let mark = [UInt8](repeating: 0, count: 8)
            #expect(try await !rig.registry.setPassword("other password", of: subscriber, replacing: mark))
        }
        #expect(try await rig.registry.subscriber(identifiedBy: "nobody@example.com") == nil)
        #expect(try await rig.signIn("first password") != nil)
    }

    @Test("are exported and imported like all others, and no import of others removes them")
    func files() async throws {
        let rig = try Rig()
        let who = try await rig.register()
        try await rig.bench.load("identifier,password\nbob@example.com,right one\n")
        let exported = try await rig.bench.exported()
        #expect(exported.contains("ada@example.com,$y$"))
        var options = SubscriberImport.Options()
        options.isReplacing = true
        let report = try await rig.bench.load("identifier,password\ncay@example.com,right one\n", options)
        #expect(report.removed == 1)
        #expect(try await rig.signIn("first password") == who)
        // Once a file has them they are the operator's, with a subscription and the password they chose.
        try await rig.bench.load("identifier,state\n\(Self.ada),active\n", options)
        #expect(try await rig.signIn("first password") == who)
        #expect(try await rig.backend.subscription(of: who, inquiry: Inquiry()).state == .active)
        try await rig.bench.load("identifier,password\ncay@example.com,right one\n", options)
        #expect(try await rig.signIn("first password") == nil)
        let other = try Rig()
        try await other.bench.load(exported)
        #expect(try await other.signIn("first password") != nil)
        #expect(try await other.signIn("right one", "bob@example.com") != nil)
    }

    @Test("are there after an upgrade of the release before, whose subscribers keep what they had")
    func upgrade() async throws {
        let folder = FileManager.default.temporaryDirectory.appending(path: "gatefold-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        let path = folder.appending(path: "subscribers.sqlite").path
        let hasher = try testHasher()
        let queue = try DatabaseQueue(path: path)
        try SubscriberSchema.migrator.migrate(queue, upTo: "4 adopted from")
        try await queue.write { [hash = try hasher.hash("right one")] db in
            try db.execute(
                sql: "INSERT INTO subscriber (identifier, password_hash, state, updated) VALUES (?, ?, 'active', 0)",
                arguments: ["bob@example.com", hash])
        }
        try queue.close()
        let backend = SQLiteSubscriberBackend(
            name: "embedded", database: try SubscriberDatabase(path: path),
            proof: SQLiteSubscriberBackend.Proof(field: "password"), isSelfService: true,
            verifier: PasswordVerifier(hasher: hasher, concurrency: 1))
        let registry = try #require(backend.registry)
        let bob = try #require(try await registry.subscriber(identifiedBy: "bob@example.com"))
        #expect(
            try await backend.recognise(credentials("bob@example.com", "right one"), inquiry: Inquiry())
                == .recognised(bob))
        let mark = try #require(try await registry.passwordMark(of: bob))
        #expect(try await registry.setPassword("other password", of: bob, replacing: mark))
        #expect(try await registry.register(identifier: Self.ada, password: "first password") != nil)
    }

    @Test("find a database that can not be written to is an error, and nothing is changed")
    func locked() async throws {
        let rig = try Rig()
        let who = try await rig.register()
        let mark = try await rig.mark(who)
        try rig.bench.otherConnection { db throws in
            try db.execute(sql: "ALTER TABLE subscriber RENAME COLUMN chosen TO elsewhere")
        }
        await #expect(throws: (any Error).self) {
            try await rig.registry.register(identifier: "bob@example.com", password: "first password")
        }
        await #expect(throws: (any Error).self) {
            try await rig.registry.setPassword("other password", of: who, replacing: mark)
        }
    }
}
