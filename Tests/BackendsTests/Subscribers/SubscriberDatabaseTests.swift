import Foundation
import GRDB
import Gatefold
import TestSupport
import Testing

@testable import Backends
@testable import PasswordHashing

@Suite("Subscriber database", .registryServers, .subscriberStores) struct SubscriberDatabaseTests {
    private static let table = """
        email,password,state,message,all_editions,periods,editions,categories
        ann@example.com,right,automatic,,no,2026-10-01/2026-11-01,com.example.1;com.example.2,http://example.com/tier=gold
        bob@example.com,,active,Hello,yes,,,
        cay@example.com,right,suspended,Blocked,yes,2026-01-01/,,
        """

    private func fixture() async throws -> Fixture {
        let fixture = try Fixture()
        let report = try await fixture.load(Self.table, SubscriberImport.Options(identifierColumn: "email"))
        try #require(report.isCommitted)
        _ = fixture.counter.take()
        return fixture
    }

    private func key(_ authentication: AuthenticationResult) throws -> Subscriber {
        guard case .authenticated(let subscriber) = authentication else { throw NotAuthenticated() }
        return subscriber
    }

    private struct NotAuthenticated: Error {}

    @Test("The right password authenticates, in any spelling of the identifier")
    func authenticating() async throws {
        let fixture = try await fixture()
        let backend = fixture.backend()
        for identifier in ["ann@example.com", " Ann@EXAMPLE.com "] {
            let subscriber = try key(
                try await backend.authenticate(credentials(identifier, "right"), context: CallContext()).value)
            #expect(subscriber.backend == "embedded")
        }
        for (identifier, password) in [
            ("ann@example.com", "wrong"), ("ann@example.com", ""), ("nobody@example.com", "right"),
            ("bob@example.com", "right"), ("bob@example.com", ""), ("", "right"),
        ] {
            #expect(
                try await backend.authenticate(credentials(identifier, password), context: CallContext()).value
                    == .rejected(message: nil))
        }
        #expect(
            try await backend.authenticate(credentials("ann@example.com", nil), context: CallContext()).value
                == .rejected(message: nil))
    }

    @Test("Without a proof the identifier suffices, and names can be folded")
    func otherProofs() async throws {
        let fixture = try await fixture()
        let open = fixture.backend(proof: nil)
        _ = try key(try await open.authenticate(credentials("bob@example.com", nil), context: CallContext()).value)
        #expect(
            try await open.authenticate(credentials("nobody@example.com", nil), context: CallContext()).value
                == .rejected(message: nil))

        try await fixture.load("identifier,password\ndee,O'Née\n", SubscriberImport.Options(foldsProof: true))
        let named = fixture.backend(proof: SubscriberDatabaseBackend.Proof(field: "password", folds: true))
        _ = try key(try await named.authenticate(credentials("dee", " o'NÉE"), context: CallContext()).value)
    }

    @Test("A subscription has state, message, editions, periods and categories")
    func subscriptions() async throws {
        let fixture = try await fixture()
        let backend = fixture.backend()
        let ann = try key(
            try await backend.authenticate(credentials("ann@example.com", "right"), context: CallContext()).value)
        let response = try await backend.subscription(of: ann, context: CallContext()).value
        #expect(response.state == .active)
        #expect(response.entitlement == .editions([EditionID("com.example.1")!, EditionID("com.example.2")!]))
        #expect(response.userInfo == [UserInfoCategory(scheme: "http://example.com/tier", value: "gold")])
        #expect(response.periods.count == 1)

        // The last millisecond of the last day belongs to the subscription, and the next one does not.
        fixture.clock.set(Date(timeIntervalSince1970: 1_793_577_599.999))
        #expect(try await backend.subscription(of: ann, context: CallContext()).value.state == .active)
        fixture.clock.set(Date(timeIntervalSince1970: 1_793_577_600))
        #expect(try await backend.subscription(of: ann, context: CallContext()).value.state == .inactive)

        let open = fixture.backend(proof: nil)
        let bob = try key(
            try await open.authenticate(credentials("bob@example.com", nil), context: CallContext()).value)
        #expect(
            try await backend.subscription(of: bob, context: CallContext()).value
                == Subscription(state: .active, message: "Hello", entitlement: .allEditions))
        let cay = try key(
            try await backend.authenticate(credentials("cay@example.com", "right"), context: CallContext()).value)
        let blocked = try await backend.subscription(of: cay, context: CallContext()).value
        #expect(blocked.state == .suspended)
        #expect(blocked.message == "Blocked")
    }

    @Test("A deleted subscriber is unknown, and the number is not reused")
    func deletion() async throws {
        let fixture = try await fixture()
        let backend = fixture.backend()
        let cay = try key(
            try await backend.authenticate(credentials("cay@example.com", "right"), context: CallContext()).value)
        #expect(try await fixture.database.delete("CAY@example.com"))
        #expect(try await fixture.database.delete("cay@example.com") == false)
        try await fixture.load("identifier\nnew@example.com\n")
        #expect(try await backend.subscription(of: cay, context: CallContext()).value == Subscription(state: .unknown))
        #expect(try await backend.resolved.renew(cay, context: CallContext()) == .rejected(message: nil))
        for key in ["", "x", "01", "+1", "1 ", "99999999999999999999"] {
            let stranger = Subscriber(backend: "embedded", key: key)
            #expect(try await backend.subscription(of: stranger, context: CallContext()).value.state == .unknown)
        }
        let elsewhere = Subscriber(backend: "other", key: "1")
        #expect(try await backend.subscription(of: elsewhere, context: CallContext()).value.state == .unknown)
    }

    @Test("Pitfall 1: an unreadable row or table is an error, neither a rejection nor everything")
    func unreadable() async throws {
        for damage in [
            "UPDATE subscriber SET state = 'nonsense'", "UPDATE subscriber SET all_editions = 7",
            "UPDATE edition SET edition = 'a:' || edition", "DROP TABLE edition", "DROP TABLE period",
            "DROP TABLE category", "ALTER TABLE subscriber RENAME COLUMN state TO status",
        ] {
            let fixture = try await fixture()
            let backend = fixture.backend()
            let ann = try key(
                try await backend.authenticate(credentials("ann@example.com", "right"), context: CallContext()).value)
            try await fixture.damage(damage)
            await #expect(throws: (any Error).self, "\(damage)") {
                try await backend.subscription(of: ann, context: CallContext()).value
            }
        }
        let fixture = try await fixture()
        let backend = fixture.backend()
        try await fixture.execute("UPDATE subscriber SET password_hash = 'damaged'")
        await #expect(throws: PasswordError.unreadableHash) {
            try await backend.authenticate(credentials("ann@example.com", "right"), context: CallContext()).value
        }
        try await fixture.execute("ALTER TABLE subscriber RENAME TO elsewhere")
        await #expect(throws: (any Error).self) {
            try await backend.authenticate(credentials("ann@example.com", "right"), context: CallContext()).value
        }
        await #expect(throws: (any Error).self) { try await backend.health() }
    }

    @Test("A subscriber with an unreadable column can be suspended and deleted")
    func unreadableChanged() async throws {
        let fixture = try await fixture()
        try await fixture.damage("UPDATE subscriber SET all_editions = 7")
        await #expect(throws: (any Error).self) { try await fixture.database.find("ann@example.com") }
        #expect(try await fixture.database.id(of: " ANN@example.com") != nil)
        #expect(try await fixture.database.setState(.suspended, of: "ann@example.com"))
        #expect(try await fixture.database.delete("ann@example.com"))
        #expect(try await fixture.database.id(of: "ann@example.com") == nil)
    }

    @Test("Pitfall 1: no rows in the tables of editions mean no editions")
    func nothing() async throws {
        let fixture = try await fixture()
        try await fixture.execute("DELETE FROM edition")
        let ann = try #require(try await fixture.database.find("ann@example.com"))
        #expect(ann.subscription(at: fixture.clock.now).entitlement == .nothing)
    }

    @Test("Pitfall 1: an inactive reader has a list of editions, even with all editions while active")
    func lapsed() async throws {
        let fixture = try await fixture()
        try await fixture.load("identifier,state,all_editions,editions\nbob@example.com,inactive,yes,com.example.1\n")
        let bob = try #require(try await fixture.database.find("bob@example.com"))
        #expect(bob.subscription(at: fixture.clock.now).entitlement == .editions([EditionID("com.example.1")!]))
    }

    @Test("Pitfall 6: unknown, wrong, right and without a password cost the same work")
    func equalWork() async throws {
        let fixture = try await fixture()
        let backend = fixture.backend()
        for (identifier, password) in [
            ("nobody@example.com", "wrong"), ("ann@example.com", "wrong"), ("ann@example.com", "right"),
            ("bob@example.com", "x"), ("cay@example.com", "right"), ("nul\0", "x"),
        ] {
            fixture.log.take().forEach { _ in }
            _ = try await backend.authenticate(credentials(identifier, password), context: CallContext()).value
            #expect(fixture.counter.take() == [.yescrypt])
        }
    }

    @Test("Pitfall 8: after a password change the old one fails and the new one works at once")
    func changedPassword() async throws {
        let fixture = try await fixture()
        let backend = fixture.backend()
        _ = try key(
            try await backend.authenticate(credentials("ann@example.com", "right"), context: CallContext()).value)
        #expect(try await fixture.database.setPassword(hash: try fixture.hasher.hash("new"), of: "ANN@example.com"))
        #expect(
            try await backend.authenticate(credentials("ann@example.com", "right"), context: CallContext()).value
                == .rejected(message: nil))
        let ann = try key(
            try await backend.authenticate(credentials("ann@example.com", "new"), context: CallContext()).value)
        #expect(try await fixture.database.setState(.inactive, message: "Cancelled", of: "ann@example.com"))
        #expect(try await backend.subscription(of: ann, context: CallContext()).value.state == .inactive)
        #expect(try await fixture.database.setState(.active, of: "ann@example.com"))
        #expect(try await backend.subscription(of: ann, context: CallContext()).value.state == .active)
        #expect(try await fixture.database.setState(.active, of: "nobody@example.com") == false)
        for message in ["a\0", "a\u{1}", "\u{7F}"] {
            await #expect(throws: SubscriberDatabaseError.unacceptableText(column: "message")) {
                try await fixture.database.setState(.active, message: message, of: "ann@example.com")
            }
        }
        await #expect(throws: PasswordError.unreadableHash) {
            try await fixture.database.setPassword(hash: "plain", of: "ann@example.com")
        }
    }

    @Test("A weak or keyed hash is upgraded at the first right sign-in, and at no wrong one")
    func upgrading() async throws {
        let fixture = try await fixture()
        let backend = fixture.backend()
        for stored in [ForeignHash.all[0].hash, try fixture.hasher.keyedHash(ForeignHash.password)] {
            try await fixture.database.setPassword(hash: stored, of: "ann@example.com")
            _ = try await backend.authenticate(credentials("ann@example.com", "wrong"), context: CallContext()).value
            #expect(try await fixture.database.find("ann@example.com")?.passwordHash == stored)
            let typed = credentials("ann@example.com", ForeignHash.password)
            _ = try key(try await backend.authenticate(typed, context: CallContext()).value)
            let better = try #require(try await fixture.database.find("ann@example.com")?.passwordHash)
            #expect(PasswordScheme(of: better) == .yescrypt)
            _ = try key(try await backend.authenticate(typed, context: CallContext()).value)
            #expect(try await fixture.database.find("ann@example.com")?.passwordHash == better)
        }
    }

    @Test("Hashes of other systems are imported unchanged and upgraded at the first right sign-in")
    func foreignHashes() async throws {
        let fixture = try await fixture()
        let backend = fixture.backend()
        for (stored, scheme) in [
            ("{SSHA}HGFywgyNIZEcSZuVN63HFbh+IqR27t07", PasswordScheme.ldap),
            ("md5$ZvBHQwSSKbTSgeHtk7yCXL$5fb2ee4cb27399632dee7e0f8b8e1efa", .template),
            ("pbkdf2_sha1$1000$KEU8YV1qCIMPfgzyIBmypv$dO/Xu3eTijRtbdfqvapoCJ49j00=", .pbkdf2),
        ] {
            let password = scheme == .ldap ? "pässwörd ünïcode" : "correct horse"
            try await fixture.load("identifier,password_hash\nann@example.com,\(stored)\n")
            #expect(try await fixture.database.find("ann@example.com")?.passwordHash == stored)
            _ = fixture.counter.take()
            #expect(
                try await backend.authenticate(credentials("ann@example.com", "wrong"), context: CallContext()).value
                    == .rejected(message: nil))
            #expect(fixture.counter.take() == [scheme, .yescrypt])
            _ = try key(
                try await backend.authenticate(credentials("ann@example.com", password), context: CallContext()).value)
            let better = try #require(try await fixture.database.find("ann@example.com")?.passwordHash)
            #expect(PasswordScheme(of: better) == .yescrypt)
        }
    }

    @Test("Sign-in waits for no other writer, not even to store an upgraded hash")
    func upgradingBesideAWriter() async throws {
        let fixture = try await fixture()
        guard fixture.isFile else { return }
        let backend = fixture.backend()
        let stored = ForeignHash.all[0].hash
        try await fixture.database.setPassword(hash: stored, of: "ann@example.com")
        let other = try fixture.otherConnection()
        try await other.writeWithoutTransaction { try $0.execute(sql: "BEGIN IMMEDIATE") }
        _ = try key(
            try await backend.authenticate(credentials("ann@example.com", ForeignHash.password), context: CallContext())
                .value
        )
        #expect(try await fixture.database.find("ann@example.com")?.passwordHash == stored)
        try await other.writeWithoutTransaction { try $0.execute(sql: "ROLLBACK") }
    }

    @Test(
        "Pitfall 13: hostile text is bound, never part of a statement, and treated like an unknown user",
        arguments: [
            "' OR 1=1--", "*)(uid=*", "]]><x>", "%{var}", "ann@example.com\0", "\0", "a\r\nb",
            "\"; DROP TABLE subscriber;--",
            "=1+1", "ann@example.com' --", "%", "_", String(repeating: "x", count: 1 << 20),
        ])
    func injection(text: String) async throws {
        let fixture = try await fixture()
        let backend = fixture.backend()
        _ = fixture.log.take()
        for attempt in [credentials(text, "right"), credentials("ann@example.com", text), credentials(text, text)] {
            #expect(try await backend.authenticate(attempt, context: CallContext()).value == .rejected(message: nil))
        }
        #expect(
            try await backend.subscription(of: Subscriber(backend: "embedded", key: text), context: CallContext()).value
                .state
                == .unknown)
        #expect(try await fixture.database.find(text) == nil)
        #expect(try await fixture.database.delete(text) == false)
        let log = fixture.log.take()
        #expect(log.allSatisfy { !$0.contains("right") && !($0.contains(text) && text.utf8.count > 1) })
        #expect(log.allSatisfy { !$0.contains("ann@") })
        #expect(try await fixture.database.counts().values.reduce(0, +) == 3)
    }

    @Test("A page begins after the last identifier of the page before")
    func listing() async throws {
        let fixture = try await fixture()
        let first = try await fixture.database.list(limit: 2)
        #expect(first.map(\.identifier) == ["ann@example.com", "bob@example.com"])
        #expect(
            try await fixture.database.list(after: first[1].identifier, limit: 2).map(\.identifier) == [
                "cay@example.com"
            ]
        )
        #expect(try await fixture.database.list(limit: 9, state: .suspended).map(\.identifier) == ["cay@example.com"])
        #expect(
            try await fixture.database.counts() == [.automatic: 1, .active: 1, .inactive: 0, .suspended: 1])
    }

    @Test("An acknowledged write is visible to other connections, and an abandoned one leaves nothing")
    func durability() async throws {
        let fixture = try await fixture()
        guard fixture.isFile else { return }
        try fixture.otherConnection { db in
            #expect(try Int.fetchOne(db, sql: "SELECT count(*) FROM subscriber") == 3)
            try db.execute(sql: "BEGIN IMMEDIATE; DELETE FROM subscriber")
            // The connection closes without a commit, as that of a killed process does.
        }
        #expect(try await fixture.database.counts().values.reduce(0, +) == 3)
        let again = try SubscriberDatabase(path: fixture.folder + "/subscribers.sqlite")
        #expect(try await again.find("bob@example.com")?.message == "Hello")
    }

    @Test("Opening, sign-in and queries wait for no writer, however long an import takes")
    func besideAWriter() async throws {
        let fixture = try await fixture()
        guard fixture.isFile else { return }
        let other = try fixture.otherConnection()
        try await other.writeWithoutTransaction {
            try $0.execute(sql: "BEGIN IMMEDIATE; UPDATE subscriber SET state = 'suspended'")
        }
        let opened = try SubscriberDatabase(path: fixture.folder + "/subscribers.sqlite", clock: fixture.clock.wall)
        let backend = SubscriberDatabaseBackend(
            name: "embedded", database: opened, proof: SubscriberDatabaseBackend.Proof(field: "password"),
            verifier: PasswordVerifier(hasher: fixture.hasher, concurrency: 1), clock: fixture.clock.wall)
        let ann = try key(
            try await backend.authenticate(credentials("ann@example.com", "right"), context: CallContext()).value)
        #expect(try await backend.subscription(of: ann, context: CallContext()).value.state == .active)
        try await other.writeWithoutTransaction { try $0.execute(sql: "COMMIT") }
        #expect(try await backend.subscription(of: ann, context: CallContext()).value.state == .suspended)
    }

    @Test("A file that is not a database is rejected in one line")
    func noDatabase() throws {
        let fixture = try Fixture()
        let path = try fixture.file(String(repeating: "not a database ", count: 500))
        #expect(throws: SubscriberDatabaseError.self) { try SubscriberDatabase(path: path) }
    }
}
