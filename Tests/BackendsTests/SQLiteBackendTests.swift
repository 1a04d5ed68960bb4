import Backends
import Foundation
import GRDB
import Gatefold
import TestSupport
import Testing

@Suite("The embedded subscriber database") struct SQLiteBackendTests {
    private static let table = """
        email,password,state,message,all_editions,periods,editions,categories
        ann@example.com,right,automatic,,no,2026-10-01/2026-11-01,com.example.1;com.example.2,http://example.com/tier=gold
        bob@example.com,,active,Hello,yes,,,
        cay@example.com,right,suspended,Blocked,yes,2026-01-01/,,
        """

    private func bench() async throws -> Bench {
        let bench = try Bench()
        let report = try await bench.load(Self.table, SubscriberImport.Options(identifierColumn: "email"))
        try #require(report.isCommitted)
        _ = bench.counter.take()
        return bench
    }

    private func key(_ recognition: Recognition) throws -> Subscriber {
        guard case .recognised(let subscriber) = recognition else { throw NotRecognised() }
        return subscriber
    }

    private struct NotRecognised: Error {}

    @Test("Recognises who knows the password, however the identifier is written")
    func recognising() async throws {
        let bench = try await bench()
        let backend = bench.backend()
        for identifier in ["ann@example.com", " Ann@EXAMPLE.com "] {
            let who = try key(try await backend.recognise(credentials(identifier, "right"), inquiry: Inquiry()))
            #expect(who.backend == "embedded")
        }
        for (identifier, password) in [
            ("ann@example.com", "wrong"), ("ann@example.com", ""), ("nobody@example.com", "right"),
            ("bob@example.com", "right"), ("bob@example.com", ""), ("", "right"),
        ] {
            #expect(
                try await backend.recognise(credentials(identifier, password), inquiry: Inquiry())
                    == .notRecognised(message: nil))
        }
        #expect(
            try await backend.recognise(credentials("ann@example.com", nil), inquiry: Inquiry())
                == .notRecognised(message: nil))
    }

    @Test("Without a proof the identifier is enough, and names can be folded")
    func otherProofs() async throws {
        let bench = try await bench()
        let open = bench.backend(proof: nil)
        _ = try key(try await open.recognise(credentials("bob@example.com", nil), inquiry: Inquiry()))
        #expect(
            try await open.recognise(credentials("nobody@example.com", nil), inquiry: Inquiry())
                == .notRecognised(message: nil))

        try await bench.load("identifier,password\ndee,O'Née\n", SubscriberImport.Options(foldsProof: true))
        let named = bench.backend(proof: SQLiteSubscriberBackend.Proof(field: "password", folds: true))
        _ = try key(try await named.recognise(credentials("dee", " o'NÉE"), inquiry: Inquiry()))
    }

    @Test("Tells state, message, editions, periods and categories")
    func subscriptions() async throws {
        let bench = try await bench()
        let backend = bench.backend()
        let ann = try key(try await backend.recognise(credentials("ann@example.com", "right"), inquiry: Inquiry()))
        let answer = try await backend.subscription(of: ann, inquiry: Inquiry())
        #expect(answer.state == .active)
        #expect(answer.entitlement == .editions([EditionID("com.example.1")!, EditionID("com.example.2")!]))
        #expect(answer.userInfo == [UserInfoCategory(scheme: "http://example.com/tier", value: "gold")])
        #expect(answer.periods.count == 1)

        // The last moment of the last day is the subscription's, the next one is not.
        bench.clock.set(Date(timeIntervalSince1970: 1_793_577_599.999))
        #expect(try await backend.subscription(of: ann, inquiry: Inquiry()).state == .active)
        bench.clock.set(Date(timeIntervalSince1970: 1_793_577_600))
        #expect(try await backend.subscription(of: ann, inquiry: Inquiry()).state == .inactive)

        let open = bench.backend(proof: nil)
        let bob = try key(try await open.recognise(credentials("bob@example.com", nil), inquiry: Inquiry()))
        #expect(
            try await backend.subscription(of: bob, inquiry: Inquiry())
                == Subscription(state: .active, message: "Hello", entitlement: .allEditions))
        let cay = try key(try await backend.recognise(credentials("cay@example.com", "right"), inquiry: Inquiry()))
        let blocked = try await backend.subscription(of: cay, inquiry: Inquiry())
        #expect(blocked.state == .suspended)
        #expect(blocked.message == "Blocked")
    }

    @Test("A deleted subscriber is unknown, and the number goes to nobody else")
    func deletion() async throws {
        let bench = try await bench()
        let backend = bench.backend()
        let cay = try key(try await backend.recognise(credentials("cay@example.com", "right"), inquiry: Inquiry()))
        #expect(try await bench.database.delete("CAY@example.com"))
        #expect(try await bench.database.delete("cay@example.com") == false)
        try await bench.load("identifier\nnew@example.com\n")
        #expect(try await backend.subscription(of: cay, inquiry: Inquiry()) == Subscription(state: .unknown))
        #expect(try await backend.renew(cay, inquiry: Inquiry()) == .notRecognised(message: nil))
        for key in ["", "x", "01", "+1", "1 ", "99999999999999999999"] {
            let stranger = Subscriber(backend: "embedded", key: key)
            #expect(try await backend.subscription(of: stranger, inquiry: Inquiry()).state == .unknown)
        }
        let elsewhere = Subscriber(backend: "other", key: "1")
        #expect(try await backend.subscription(of: elsewhere, inquiry: Inquiry()).state == .unknown)
    }

    @Test("Pitfall 1: a row or table that can not be read is thrown, never a refusal nor everything")
    func unreadable() async throws {
        for damage in [
            "UPDATE subscriber SET state = 'nonsense'", "UPDATE subscriber SET all_editions = 7",
            "UPDATE edition SET edition = 'a:' || edition", "DROP TABLE edition", "DROP TABLE period",
            "DROP TABLE category", "ALTER TABLE subscriber RENAME COLUMN state TO status",
        ] {
            let bench = try await bench()
            let backend = bench.backend()
            let ann = try key(try await backend.recognise(credentials("ann@example.com", "right"), inquiry: Inquiry()))
            try bench.otherConnection { db in
                try db.execute(sql: "PRAGMA ignore_check_constraints = ON")
                try db.execute(sql: damage)
            }
            await #expect(throws: (any Error).self, "\(damage)") {
                try await backend.subscription(of: ann, inquiry: Inquiry())
            }
        }
        let bench = try await bench()
        let backend = bench.backend()
        try bench.otherConnection { try $0.execute(sql: "UPDATE subscriber SET password_hash = 'damaged'") }
        await #expect(throws: PasswordError.unreadableHash) {
            try await backend.recognise(credentials("ann@example.com", "right"), inquiry: Inquiry())
        }
        try bench.otherConnection { try $0.execute(sql: "ALTER TABLE subscriber RENAME TO elsewhere") }
        await #expect(throws: (any Error).self) {
            try await backend.recognise(credentials("ann@example.com", "right"), inquiry: Inquiry())
        }
        await #expect(throws: (any Error).self) { try await backend.health() }
    }

    @Test("Pitfall 1: no rows in the tables of editions mean nothing, not everything")
    func nothing() async throws {
        let bench = try await bench()
        try bench.otherConnection { try $0.execute(sql: "DELETE FROM edition") }
        let ann = try #require(try await bench.database.find("ann@example.com"))
        #expect(ann.subscription(at: bench.clock.now).entitlement == .nothing)
    }

    @Test("Pitfall 1: who is not active has a list of editions, whatever they may read while active")
    func lapsed() async throws {
        let bench = try await bench()
        try await bench.load("identifier,state,all_editions,editions\nbob@example.com,inactive,yes,com.example.1\n")
        let bob = try #require(try await bench.database.find("bob@example.com"))
        #expect(bob.subscription(at: bench.clock.now).entitlement == .editions([EditionID("com.example.1")!]))
    }

    @Test("Pitfall 6: unknown, wrong, right and without a password do the same work")
    func equalWork() async throws {
        let bench = try await bench()
        let backend = bench.backend()
        for (identifier, password) in [
            ("nobody@example.com", "wrong"), ("ann@example.com", "wrong"), ("ann@example.com", "right"),
            ("bob@example.com", "x"), ("cay@example.com", "right"), ("nul\0", "x"),
        ] {
            bench.log.take().forEach { _ in }
            _ = try await backend.recognise(credentials(identifier, password), inquiry: Inquiry())
            #expect(bench.counter.take() == [.yescrypt])
        }
    }

    @Test("Pitfall 8: after a change of the password the old one fails and the new one works at once")
    func changedPassword() async throws {
        let bench = try await bench()
        let backend = bench.backend()
        _ = try key(try await backend.recognise(credentials("ann@example.com", "right"), inquiry: Inquiry()))
        #expect(try await bench.database.setPassword(hash: try bench.hasher.hash("new"), of: "ANN@example.com"))
        #expect(
            try await backend.recognise(credentials("ann@example.com", "right"), inquiry: Inquiry())
                == .notRecognised(message: nil))
        let ann = try key(try await backend.recognise(credentials("ann@example.com", "new"), inquiry: Inquiry()))
        #expect(try await bench.database.setState(.inactive, message: "Cancelled", of: "ann@example.com"))
        #expect(try await backend.subscription(of: ann, inquiry: Inquiry()).state == .inactive)
        #expect(try await bench.database.setState(.active, of: "ann@example.com"))
        #expect(try await backend.subscription(of: ann, inquiry: Inquiry()).state == .active)
        #expect(try await bench.database.setState(.active, of: "nobody@example.com") == false)
        for message in ["a\0", "a\u{1}", "\u{7F}"] {
            await #expect(throws: SubscriberDatabaseError.unacceptableText(column: "message")) {
                try await bench.database.setState(.active, message: message, of: "ann@example.com")
            }
        }
        await #expect(throws: PasswordError.unreadableHash) {
            try await bench.database.setPassword(hash: "plain", of: "ann@example.com")
        }
    }

    @Test("A weak or keyed hash is replaced at the first right sign-in, and by no wrong one")
    func upgrading() async throws {
        let bench = try await bench()
        let backend = bench.backend()
        for stored in [ForeignHash.all[0].hash, try bench.hasher.keyedHash(ForeignHash.password)] {
            try await bench.database.setPassword(hash: stored, of: "ann@example.com")
            _ = try await backend.recognise(credentials("ann@example.com", "wrong"), inquiry: Inquiry())
            #expect(try await bench.database.find("ann@example.com")?.passwordHash == stored)
            let typed = credentials("ann@example.com", ForeignHash.password)
            _ = try key(try await backend.recognise(typed, inquiry: Inquiry()))
            let better = try #require(try await bench.database.find("ann@example.com")?.passwordHash)
            #expect(PasswordScheme(of: better) == .yescrypt)
            _ = try key(try await backend.recognise(typed, inquiry: Inquiry()))
            #expect(try await bench.database.find("ann@example.com")?.passwordHash == better)
        }
    }

    @Test("Hashes of other systems are imported as they are, and replaced at the first right sign-in")
    func foreignHashes() async throws {
        let bench = try await bench()
        let backend = bench.backend()
        for (stored, scheme) in [
            ("{SSHA}HGFywgyNIZEcSZuVN63HFbh+IqR27t07", PasswordScheme.ldap),
            ("md5$ZvBHQwSSKbTSgeHtk7yCXL$5fb2ee4cb27399632dee7e0f8b8e1efa", .template),
            ("pbkdf2_sha1$1000$KEU8YV1qCIMPfgzyIBmypv$dO/Xu3eTijRtbdfqvapoCJ49j00=", .pbkdf2),
        ] {
            let password = scheme == .ldap ? "pässwörd ünïcode" : "correct horse"
            try await bench.load("identifier,password_hash\nann@example.com,\(stored)\n")
            #expect(try await bench.database.find("ann@example.com")?.passwordHash == stored)
            _ = bench.counter.take()
            #expect(
                try await backend.recognise(credentials("ann@example.com", "wrong"), inquiry: Inquiry())
                    == .notRecognised(message: nil))
            #expect(bench.counter.take() == [scheme, .yescrypt])
            _ = try key(try await backend.recognise(credentials("ann@example.com", password), inquiry: Inquiry()))
            let better = try #require(try await bench.database.find("ann@example.com")?.passwordHash)
            #expect(PasswordScheme(of: better) == .yescrypt)
        }
    }

    @Test("Sign-in waits for no other writer, not even to keep a better hash")
    func upgradingBesideAWriter() async throws {
        let bench = try await bench()
        let backend = bench.backend()
        let stored = ForeignHash.all[0].hash
        try await bench.database.setPassword(hash: stored, of: "ann@example.com")
        let other = try bench.otherConnection()
        try await other.writeWithoutTransaction { try $0.execute(sql: "BEGIN IMMEDIATE") }
        _ = try key(
            try await backend.recognise(credentials("ann@example.com", ForeignHash.password), inquiry: Inquiry()))
        #expect(try await bench.database.find("ann@example.com")?.passwordHash == stored)
        try await other.writeWithoutTransaction { try $0.execute(sql: "ROLLBACK") }
    }

    @Test(
        "Pitfall 13: hostile text is bound, never part of a statement, and like a harmless unknown user",
        arguments: [
            "' OR 1=1--", "*)(uid=*", "]]><x>", "%{var}", "ann@example.com\0", "\0", "a\r\nb",
            "\"; DROP TABLE subscriber;--",
            "=1+1", "ann@example.com' --", "%", "_", String(repeating: "x", count: 1 << 20),
        ])
    func injection(text: String) async throws {
        let bench = try await bench()
        let backend = bench.backend()
        _ = bench.log.take()
        for attempt in [credentials(text, "right"), credentials("ann@example.com", text), credentials(text, text)] {
            #expect(try await backend.recognise(attempt, inquiry: Inquiry()) == .notRecognised(message: nil))
        }
        #expect(
            try await backend.subscription(of: Subscriber(backend: "embedded", key: text), inquiry: Inquiry()).state
                == .unknown)
        #expect(try await bench.database.find(text) == nil)
        #expect(try await bench.database.delete(text) == false)
        let log = bench.log.take()
        #expect(log.allSatisfy { !$0.contains("right") && !($0.contains(text) && text.utf8.count > 1) })
        #expect(log.allSatisfy { !$0.contains("ann@") })
        #expect(try await bench.database.counts().values.reduce(0, +) == 3)
    }

    @Test("A page begins after the last identifier of the page before")
    func listing() async throws {
        let bench = try await bench()
        let first = try await bench.database.list(limit: 2)
        #expect(first.map(\.identifier) == ["ann@example.com", "bob@example.com"])
        #expect(
            try await bench.database.list(after: first[1].identifier, limit: 2).map(\.identifier) == ["cay@example.com"]
        )
        #expect(try await bench.database.list(limit: 9, state: .suspended).map(\.identifier) == ["cay@example.com"])
        #expect(
            try await bench.database.counts() == [.automatic: 1, .active: 1, .inactive: 0, .suspended: 1])
    }

    @Test("What is acknowledged is seen by another connection; a write abandoned halfway leaves nothing")
    func durability() async throws {
        let bench = try await bench()
        try bench.otherConnection { db in
            #expect(try Int.fetchOne(db, sql: "SELECT count(*) FROM subscriber") == 3)
            try db.execute(sql: "BEGIN IMMEDIATE; DELETE FROM subscriber")
            // The connection goes without a commit, as that of a killed process does.
        }
        #expect(try await bench.database.counts().values.reduce(0, +) == 3)
        let again = try SubscriberDatabase(path: bench.folder + "/subscribers.sqlite")
        #expect(try await again.find("bob@example.com")?.message == "Hello")
    }

    @Test("Opening, signing in and asking wait for no writer, however long an import takes")
    func besideAWriter() async throws {
        let bench = try await bench()
        let other = try bench.otherConnection()
        try await other.writeWithoutTransaction {
            try $0.execute(sql: "BEGIN IMMEDIATE; UPDATE subscriber SET state = 'suspended'")
        }
        let opened = try SubscriberDatabase(path: bench.folder + "/subscribers.sqlite", clock: bench.clock.wall)
        let backend = SQLiteSubscriberBackend(
            name: "embedded", database: opened, proof: SQLiteSubscriberBackend.Proof(field: "password"),
            verifier: PasswordVerifier(hasher: bench.hasher, concurrency: 1), clock: bench.clock.wall)
        let ann = try key(try await backend.recognise(credentials("ann@example.com", "right"), inquiry: Inquiry()))
        #expect(try await backend.subscription(of: ann, inquiry: Inquiry()).state == .active)
        try await other.writeWithoutTransaction { try $0.execute(sql: "COMMIT") }
        #expect(try await backend.subscription(of: ann, inquiry: Inquiry()).state == .suspended)
    }

    @Test("A file that is no database is refused in one line")
    func noDatabase() throws {
        let bench = try Bench()
        let path = try bench.file(String(repeating: "not a database ", count: 500))
        #expect(throws: SubscriberDatabaseError.self) { try SubscriberDatabase(path: path) }
    }
}
