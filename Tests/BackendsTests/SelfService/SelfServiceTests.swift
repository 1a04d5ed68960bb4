import Foundation
import GRDB
import Gatefold
import TestSupport
import Testing

@testable import Backends
@testable import PasswordHashing

@Suite("Self-service in the subscriber database", .registryServers, .subscriberStores) struct SelfServiceTests {
    private static let ada = "ada@example.com"

    private struct Harness {
        let fixture: Fixture
        let backend: SubscriberDatabaseBackend
        let registry: any SubscriberRegistry

        init() throws {
            fixture = try Fixture()
            backend = fixture.backend(isSelfService: true)
            registry = try #require(backend.registry)
        }

        @discardableResult
        func register(_ identifier: String = ada, _ password: String = "first password") async throws -> Subscriber {
            try #require(try await registry.register(identifier: identifier, password: password))
        }

        func signIn(_ password: String, _ identifier: String = ada) async throws -> Subscriber? {
            let response = try await backend.authenticate(credentials(identifier, password), context: CallContext())
                .value
            if case .authenticated(let subscriber) = response { return subscriber }
            return nil
        }

        func revision(_ subscriber: Subscriber) async throws -> [UInt8] {
            try #require(try await registry.passwordRevision(of: subscriber))
        }
    }

    @Test("A registered reader signs in with the chosen password, in any spelling, without a subscription")
    func registering() async throws {
        let harness = try Harness()
        let subscriber = try await harness.register(" Ada@Example.com")
        #expect(subscriber.backend == "embedded")
        #expect(try await harness.signIn("first password") == subscriber)
        #expect(try await harness.signIn("other password") == nil)
        #expect(
            try await harness.backend.subscription(of: subscriber, context: CallContext()).value
                == Subscription(state: .inactive, entitlement: .editions([])))
        let record = try #require(try await harness.fixture.database.find(Self.ada))
        #expect(record.registered == harness.fixture.clock.now && record.migrated == nil && record.state == .automatic)
        #expect(record.passwordHash?.hasPrefix("$y$") == true)
        #expect(try await harness.registry.subscriber(identifiedBy: "ADA@example.com ") == subscriber)
        #expect(try await harness.registry.identifier(of: subscriber) == Self.ada)
        #expect(harness.registry.passwordField == "password" && harness.registry.name == "embedded")
    }

    @Test("An identifier is registered once, even by concurrent registrations")
    func taken() async throws {
        let harness = try Harness()
        let made = try await withThrowingTaskGroup(of: Bool.self) { group in
            for number in 0..<20 {
                group.addTask {
                    try await harness.registry.register(identifier: Self.ada, password: "password \(number)") != nil
                }
            }
            return try await group.reduce(0) { $0 + ($1 ? 1 : 0) }
        }
        #expect(made == 1)
        _ = harness.fixture.counter.take()
        #expect(try await harness.registry.register(identifier: Self.ada, password: "another one") == nil)
        // A taken identifier costs no hash.
        #expect(harness.fixture.counter.take().isEmpty)
        try await harness.fixture.load("identifier,password\nbob@example.com,right one\n")
        #expect(try await harness.registry.register(identifier: "BOB@example.com", password: "another one") == nil)
        for identifier in ["", " ", "a\u{0}b", String(repeating: "a", count: 1025)] {
            #expect(try await harness.registry.register(identifier: identifier, password: "another one") == nil)
        }
        #expect(try await harness.signIn("right one", "bob@example.com") != nil)
    }

    @Test("A password is set only in place of a known revision, and once by concurrent changes")
    func setting() async throws {
        let harness = try Harness()
        let subscriber = try await harness.register()
        let revision = try await harness.revision(subscriber)
        #expect(try await harness.revision(subscriber) == revision)
        // The clock stands still, so the revision does not depend on time.
        #expect(try await harness.registry.setPassword("other password", of: subscriber, replacing: revision))
        #expect(try await harness.signIn("first password") == nil)
        #expect(try await harness.signIn("other password") == subscriber)
        _ = harness.fixture.counter.take()
        #expect(try await !harness.registry.setPassword("third password", of: subscriber, replacing: revision))
        #expect(try await !harness.registry.setPassword("third password", of: subscriber, replacing: []))
        #expect(harness.fixture.counter.take().isEmpty)
        let present = try await harness.revision(subscriber)
        let set = try await withThrowingTaskGroup(of: Bool.self) { group in
            for number in 0..<10 {
                group.addTask {
                    try await harness.registry.setPassword("password \(number)", of: subscriber, replacing: present)
                }
            }
            return try await group.reduce(0) { $0 + ($1 ? 1 : 0) }
        }
        #expect(set == 1)
        // Setting the same password again changes the revision, too.
        let last = try await harness.revision(subscriber)
        #expect(try await harness.registry.setPassword("password 1", of: subscriber, replacing: last))
        #expect(try await harness.revision(subscriber) != last)
    }

    @Test("Every password change changes the revision; a better hash of the same password does not")
    func placeholders() async throws {
        let harness = try Harness()
        let md5 = try #require(ForeignHash.all.first { $0.scheme == .md5 })
        try await harness.fixture.load("identifier,password_hash\n\(Self.ada),\(md5.hash)\n")
        let subscriber = try #require(try await harness.registry.subscriber(identifiedBy: Self.ada))
        let revision = try await harness.revision(subscriber)
        #expect(try await harness.signIn(ForeignHash.password) == subscriber)
        let upgraded = try #require(try await harness.fixture.database.find(Self.ada)?.passwordHash)
        #expect(upgraded.hasPrefix("$y$"))
        #expect(try await harness.revision(subscriber) == revision)
        var seen = [revision]
        func expectMoved(_ what: Comment) async throws {
            let next = try await harness.revision(subscriber)
            #expect(!seen.contains(next), what)
            seen.append(next)
        }
        try await harness.fixture.load("identifier,password\n\(Self.ada),a new one\n")
        try await expectMoved("import")
        try await harness.fixture.database.setPassword(hash: upgraded, of: Self.ada)
        try await expectMoved("by hand")
        // Neither a state nor an import of the same hash is another password.
        try await harness.fixture.database.setState(.suspended, of: Self.ada)
        try await harness.fixture.load("identifier,password_hash\n\(Self.ada),\(upgraded)\n")
        #expect(try await harness.revision(subscriber) == seen.last)
        try await harness.fixture.database.setPassword(hash: nil, of: Self.ada)
        // The operator closed the sign-in, so no e-mail reopens it.
        #expect(try await harness.registry.passwordRevision(of: subscriber) == nil)
        #expect(
            try await !harness.registry.setPassword(
                "other password", of: subscriber, replacing: try #require(seen.last)))
    }

    @Test("Erasure deletes all data of a reader, and the number is not reused")
    func erasing() async throws {
        let harness = try Harness()
        try await harness.register()
        try await harness.fixture.load(
            "identifier,periods,editions,categories\n\(Self.ada),2026-01-01/,com.example.1,http://example.com/tier=gold\n"
        )
        let subscriber = try #require(try await harness.registry.subscriber(identifiedBy: Self.ada))
        #expect(try await harness.registry.erase(subscriber))
        #expect(try await !harness.registry.erase(subscriber))
        for table in ["subscriber", "period", "edition", "category"] {
            #expect(try await harness.fixture.number("SELECT count(*) FROM \(table)") == 0, "\(table)")
        }
        #expect(try await harness.register() != subscriber)
        #expect(try await harness.backend.subscription(of: subscriber, context: CallContext()).value.state == .unknown)
    }

    @Test("A subscriber of another backend or with an unwritten key is unknown")
    func strangers() async throws {
        let harness = try Harness()
        try await harness.register()
        let nobody = [
            Subscriber(backend: "other", key: "1"), Subscriber(backend: "embedded", key: "01"),
            Subscriber(backend: "embedded", key: "+1"), Subscriber(backend: "embedded", key: ""),
            Subscriber(backend: "embedded", key: "99999999999999999999"), Subscriber(backend: "embedded", key: "2"),
        ]
        for subscriber in nobody {
            #expect(try await harness.registry.passwordRevision(of: subscriber) == nil)
            #expect(try await harness.registry.identifier(of: subscriber) == nil)
            #expect(try await !harness.registry.erase(subscriber))
            let revision = [UInt8](repeating: 0, count: 8)
            #expect(try await !harness.registry.setPassword("other password", of: subscriber, replacing: revision))
        }
        #expect(try await harness.registry.subscriber(identifiedBy: "nobody@example.com") == nil)
        #expect(try await harness.signIn("first password") != nil)
    }

    @Test("Registered readers are exported and imported like others, and no import of others removes them")
    func files() async throws {
        let harness = try Harness()
        let subscriber = try await harness.register()
        try await harness.fixture.load("identifier,password\nbob@example.com,right one\n")
        let exported = try await harness.fixture.exported()
        #expect(exported.contains("ada@example.com,$y$"))
        var options = SubscriberImport.Options()
        options.isReplacing = true
        let report = try await harness.fixture.load("identifier,password\ncay@example.com,right one\n", options)
        #expect(report.removed == 1)
        #expect(try await harness.signIn("first password") == subscriber)
        // A reader in a file belongs to the operator from then on, and keeps the account if the password hash is the
        // chosen one.
        let own = try #require(try await harness.fixture.database.find(Self.ada)?.passwordHash)
        try await harness.fixture.load("identifier,password_hash,state\n\(Self.ada),\(own),active\n", options)
        #expect(try await harness.signIn("first password") == subscriber)
        #expect(try await harness.backend.subscription(of: subscriber, context: CallContext()).value.state == .active)
        try await harness.fixture.load("identifier,password\ncay@example.com,right one\n", options)
        #expect(try await harness.signIn("first password") == nil)
        let other = try Harness()
        try await other.fixture.load(exported)
        #expect(try await other.signIn("first password") != nil)
        #expect(try await other.signIn("right one", "bob@example.com") != nil)
    }

    @Test(
        "A registration under another reader's identifier gets no subscription that a file grants to it",
        arguments: [
            "identifier,state\nada@example.com,active\n", "identifier,password,state\nada@example.com,,active\n",
        ])
    func strangers(file: String) async throws {
        let harness = try Harness()
        let stranger = try await harness.register()
        let revision = try await harness.revision(stranger)
        try await harness.fixture.load(file)
        #expect(try await harness.signIn("first password") == nil)
        #expect(try await harness.backend.subscription(of: stranger, context: CallContext()).value.state == .unknown)
        #expect(try await harness.registry.identifier(of: stranger) == nil)
        #expect(try await !harness.registry.setPassword("other password", of: stranger, replacing: revision))
        let reader = try #require(try await harness.registry.subscriber(identifiedBy: Self.ada))
        #expect(reader != stranger)
        #expect(try await harness.backend.subscription(of: reader, context: CallContext()).value.state == .active)
        #expect(try await harness.registry.register(identifier: Self.ada, password: "another one") == nil)
    }

    @Test(
        "A reset by e-mail gives the reader's identifier a password, which the next file keeps")
    func chosenByMail() async throws {
        let harness = try Harness()
        try await harness.register()
        let file = "identifier,state\n\(Self.ada),active\n"
        try await harness.fixture.load(file)
        try await harness.fixture.load(file)
        let reader = try #require(try await harness.registry.subscriber(identifiedBy: Self.ada))
        let revision = try await harness.revision(reader)
        #expect(try await harness.registry.setPassword("readers password", of: reader, replacing: revision))
        #expect(try await !harness.registry.setPassword("other password", of: reader, replacing: revision))
        try await harness.fixture.load(file)
        #expect(try await harness.signIn("readers password") == reader)
        // A password that the operator removed stays removed.
        try await harness.fixture.database.setPassword(hash: nil, of: Self.ada)
        #expect(try await harness.registry.passwordRevision(of: reader) == nil)
    }

    @Test("A registration is replaced by a file's password, and a state set by hand is kept")
    func fileWithPassword() async throws {
        let harness = try Harness()
        let stranger = try await harness.register()
        try await harness.fixture.database.setState(.suspended, of: Self.ada)
        try await harness.fixture.load("identifier,password,editions\n\(Self.ada),right one,com.example.1\n")
        #expect(try await harness.signIn("first password") == nil)
        let reader = try #require(try await harness.signIn("right one"))
        #expect(reader != stranger)
        #expect(try await harness.backend.subscription(of: reader, context: CallContext()).value.state == .suspended)
    }

    @Test("A database that cannot be written is an error, and nothing is changed")
    func locked() async throws {
        let harness = try Harness()
        let subscriber = try await harness.register()
        let revision = try await harness.revision(subscriber)
        try await harness.fixture.execute("ALTER TABLE subscriber RENAME COLUMN password_chosen TO elsewhere")
        await #expect(throws: (any Error).self) {
            try await harness.registry.register(identifier: "bob@example.com", password: "first password")
        }
        await #expect(throws: (any Error).self) {
            try await harness.registry.setPassword("other password", of: subscriber, replacing: revision)
        }
    }
}
