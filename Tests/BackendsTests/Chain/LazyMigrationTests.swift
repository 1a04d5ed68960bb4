import Foundation
import GRDB
import Gatefold
import Primitives
import TestSupport
import Testing

@testable import Backends
@testable import PasswordHashing
@testable import Resilience

@Suite("Lazy migration", .registryServers, .subscriberStores) struct LazyMigrationTests {
    private static let editions = (1...2).compactMap { EditionID("com.example.\($0)") }

    private static func origin(_ backend: String, _ key: String) -> LazyMigrationOrigin {
        let pseudonymKey = PseudonymKey(Secret(Array("a secret for pseudonyms".utf8)))
        return LazyMigrationOrigin(
            backend: backend, reference: pseudonymKey.reference(to: Subscriber(backend: backend, key: key)))
    }

    private struct Harness {
        let fixture: Fixture
        let legacy: FakeMember
        let chain: ChainBackend
        let events: EventLog
        let embedded: SubscriberDatabaseBackend

        /// Creates a legacy system that authenticates every reader with the current password.
        init(password: String = "right", legacyStops: Bool = true) throws {
            fixture = try Fixture()
            events = EventLog()
            embedded = fixture.backend()
            legacy = FakeMember("legacy")
            let services = try testServices(clock: fixture.clock, events: events)
            chain = ChainBackend(
                name: "readers",
                members: [
                    ChainMember(backend: legacy, rule: ChainRule(rejected: legacyStops ? .stop : .next)),
                    ChainMember(backend: embedded, rule: ChainRule()),
                ],
                order: .inOrder,
                lazyMigration: LazyMigration(
                    chain: "readers", migrationTarget: embedded, pseudonymKey: services.pseudonymKey,
                    observe: services.observe))
            set(password: password)
        }

        func set(password: String) {
            legacy.change {
                $0.authenticate = {
                    $0["password"] == password
                        ? .authenticated(Subscriber(backend: "legacy", key: $0.identifier)) : .rejected(message: nil)
                }
            }
        }

        func notify(_ subscription: Subscription) { legacy.change { $0.subscription = { _ in subscription } } }

        func startOutage() { legacy.change { $0.authenticate = { _ in throw FakeMember.UnavailableError() } } }

        /// Migrates as the legacy system's reader of this key.
        func migrate(
            _ credentials: Credentials, key: String = "1", subscription: Subscription
        ) async throws -> LazyMigrationOutcome {
            try await embedded.migrate(
                credentials, from: [LazyMigrationTests.origin("legacy", key)], subscription: subscription)
        }

        func signIn(_ identifier: String = "ada@example.com", _ password: String = "right") async throws -> Subscriber?
        {
            let result = try await chain.authenticate(credentials(identifier, password), context: CallContext()).value
            if case .authenticated(let subscriber) = result { return subscriber }
            return nil
        }
    }

    @Test("A migrated reader is stored with a new hash, the other system's subscription and the migration date")
    func written() async throws {
        let harness = try Harness()
        let period = Period(start: harness.fixture.clock.now.addingTimeInterval(-86_400), end: nil)
        harness.notify(
            Subscription(
                state: .inactive, message: "Lapsed.", entitlement: .editions(Set(Self.editions)),
                userInfo: [UserInfoCategory(scheme: "tier", value: "gold")], periods: [period]))
        let subscriber = try await harness.signIn("  ADA@example.com")
        #expect(subscriber == Subscriber(backend: "legacy", key: "ada@example.com"))
        #expect(await harness.events.wait(for: 1).map(\.name) == ["lazy_migration_completed"])
        let record = try #require(try await harness.fixture.database.find("ada@example.com"))
        #expect(record.migrated == harness.fixture.clock.now)
        #expect(record.passwordHash?.hasPrefix("$y$") == true)
        #expect(record.state == .inactive && record.message == "Lapsed.")
        #expect(record.editions == Self.editions && !record.hasAllEditions)
        #expect(record.periods == [period])
        #expect(record.categories == [UserInfoCategory(scheme: "tier", value: "gold")])
    }

    @Test("The copy is used only while the other system is down")
    func servesCached() async throws {
        let harness = try Harness()
        harness.notify(Subscription(state: .active, entitlement: .editions([Self.editions[0]])))
        _ = try await harness.signIn()
        await harness.events.wait(for: 1)
        harness.startOutage()
        let subscriber = try #require(try await harness.signIn())
        #expect(subscriber.backend == "embedded")
        let reported = try await harness.chain.subscription(of: subscriber, context: CallContext()).value
        #expect(reported.state == .active && reported.entitlement == .editions([Self.editions[0]]))
        // Not every reader is migrated, so no reader is rejected meanwhile.
        await #expect(throws: ChainFailure.self) { try await harness.signIn("ada@example.com", "wrong") }
        await #expect(throws: ChainFailure.self) { try await harness.signIn("bob@example.com", "right") }
    }

    @Test("Pitfall 8: with `rejected: stop` an old password ends when it is changed in the other system")
    func oldPassword() async throws {
        let harness = try Harness()
        _ = try await harness.signIn()
        await harness.events.wait(for: 1)
        harness.set(password: "new")
        #expect(try await harness.signIn() == nil)
        #expect(try await harness.signIn("ada@example.com", "new") != nil)
        #expect(
            await harness.events.wait(for: 2).map(\.name) == ["lazy_migration_completed", "lazy_migration_completed"])
        harness.startOutage()
        #expect(try await harness.signIn("ada@example.com", "new")?.backend == "embedded")
        await #expect(throws: ChainFailure.self) { try await harness.signIn() }
    }

    @Test("Pitfall 8: with `rejected: next` an old password stays valid, as the guide warns")
    func oldPasswordLivesOn() async throws {
        let harness = try Harness(legacyStops: false)
        _ = try await harness.signIn()
        await harness.events.wait(for: 1)
        harness.set(password: "new")
        #expect(try await harness.signIn()?.backend == "embedded")
    }

    @Test("An active copy ends with the paid period")
    func ends() async throws {
        let harness = try Harness()
        let now = harness.fixture.clock.now
        harness.notify(
            Subscription(
                state: .active, entitlement: .allEditions,
                periods: [
                    Period(start: now, end: now.addingTimeInterval(60)), Period(start: now, end: now),
                ]))
        _ = try await harness.signIn()
        await harness.events.wait(for: 1)
        harness.startOutage()
        let subscriber = try #require(try await harness.signIn())
        #expect(try await harness.chain.subscription(of: subscriber, context: CallContext()).value.state == .active)
        harness.fixture.clock.advance(by: 61)
        #expect(try await harness.chain.subscription(of: subscriber, context: CallContext()).value.state == .inactive)
    }

    @Test("A copy is rewritten when the subscription changed, and otherwise not even hashed")
    func again() async throws {
        let harness = try Harness()
        _ = try await harness.signIn()
        await harness.events.wait(for: 1)
        _ = harness.fixture.counter.take()
        let lazyMigration = try #require(harness.chain.lazyMigration)
        _ = try await harness.signIn()
        await lazyMigration.settled()
        #expect(harness.fixture.counter.take().isEmpty)
        harness.notify(Subscription(state: .suspended))
        _ = try await harness.signIn()
        #expect(await harness.events.wait(for: 2).count == 2)
        #expect(try await harness.fixture.database.find("ada@example.com")?.state == .suspended)
    }

    @Test("The same password keeps its hash after a restart")
    func restarted() async throws {
        let harness = try Harness()
        let reported = Subscription(state: .active)
        #expect(try await harness.migrate(credentials("ada@example.com", "right"), subscription: reported) == .written)
        let hash = try await harness.fixture.database.find("ada@example.com")?.passwordHash
        #expect(
            try await harness.migrate(credentials("ada@example.com", "right"), subscription: reported) == .unchanged)
        #expect(try await harness.fixture.database.find("ada@example.com")?.passwordHash == hash)
        #expect(try await harness.migrate(credentials("ada@example.com", "other"), subscription: reported) == .written)
        #expect(try await harness.fixture.database.find("ada@example.com")?.passwordHash != hash)
    }

    @Test("An operator's import, state or password is never overwritten")
    func operators() async throws {
        let harness = try Harness()
        let (database, reported) = (harness.fixture.database, Subscription(state: .active))
        try await harness.fixture.load("identifier,password,state\nann@example.com,own,suspended\n")
        let ann = credentials("ann@example.com", "right")
        #expect(try await harness.migrate(ann, subscription: reported) == .ownedByOperator)
        #expect(try await database.find("ann@example.com")?.state == .suspended)
        let ada = credentials("ada@example.com", "right")
        for replacement: () async throws -> Void in [
            { try await database.setState(.suspended, of: "ada@example.com") },
            { try await database.setPassword(hash: try harness.fixture.hasher.hash("own"), of: "ada@example.com") },
            { try await harness.fixture.load("identifier,state\nada@example.com,suspended\n") },
        ] {
            #expect(try await harness.migrate(ada, subscription: reported) == .written)
            try await replacement()
            let theirs = try await database.find("ada@example.com")
            #expect(theirs?.migrated == nil && theirs?.origin == nil)
            #expect(try await harness.migrate(ada, subscription: Subscription(state: .inactive)) == .ownedByOperator)
            #expect(try await database.find("ada@example.com") == theirs)
            try await database.delete("ada@example.com")
        }
    }

    @Test("The last export of the old system, without passwords, keeps the passwords of migrated readers")
    func retirement() async throws {
        let harness = try Harness()
        let ada = credentials("ada@example.com", "right")
        #expect(try await harness.migrate(ada, subscription: Subscription(state: .active)) == .written)
        try await harness.fixture.load("identifier,state\nada@example.com,inactive\n")
        let result = try await harness.embedded.authenticate(ada, context: CallContext()).value
        guard case .authenticated(let subscriber) = result else {
            Issue.record("the reader was rejected")
            return
        }
        #expect(
            try await harness.embedded.subscription(of: subscriber, context: CallContext()).value.state == .inactive)
    }

    @Test("A reader with an unknown or stale subscription, or without a proof, is not migrated")
    func nobody() async throws {
        let harness = try Harness()
        for state in [SubscriptionState.unknown, .stale] {
            harness.notify(Subscription(state: state))
            #expect(try await harness.signIn() != nil)
            await harness.chain.lazyMigration?.settled()
        }
        let without = credentials("ada@example.com", nil)
        #expect(try await harness.migrate(without, subscription: Subscription(state: .active)) == .ownedByOperator)
        #expect(try await harness.fixture.database.find("ada@example.com") == nil)
        #expect(harness.events.all.isEmpty)
    }

    @Test("A store that cannot be written does not fail the sign-in, and the next sign-in tries again")
    func busy() async throws {
        let harness = try Harness()
        guard harness.fixture.isFile else { return }
        let other = try harness.fixture.otherConnection()
        try await other.writeWithoutTransaction { try $0.execute(sql: "BEGIN IMMEDIATE") }
        #expect(try await harness.signIn() != nil)
        #expect(await harness.events.wait(for: 1).map(\.name) == ["lazy_migration_failed"])
        try await other.writeWithoutTransaction { try $0.execute(sql: "ROLLBACK") }
        #expect(try await harness.signIn() != nil)
        #expect(await harness.events.wait(for: 2).map(\.name) == ["lazy_migration_failed", "lazy_migration_completed"])
    }

    /// Returns the subscriber of a sign-in at the store, which identifies the copy.
    private func copy(_ harness: Harness, _ password: String) async throws -> Subscriber? {
        let result = try await harness.embedded.authenticate(
            credentials("ada@example.com", password), context: CallContext()
        ).value
        if case .authenticated(let subscriber) = result { return subscriber }
        return nil
    }

    @Test("Pitfall 7: when two systems share an identifier, the first one's copy is kept and a conflict is reported")
    func overlap() async throws {
        let harness = try Harness()
        // The second system has another reader with the same identifier and another password.
        let other = FakeMember("other") {
            $0.authenticate = {
                $0["password"] == "others"
                    ? .authenticated(Subscriber(backend: "other", key: $0.identifier)) : .rejected(message: nil)
            }
            $0.subscription = { _ in Subscription(state: .active, entitlement: .allEditions) }
        }
        let chain = ChainBackend(
            name: "readers",
            members: [
                ChainMember(backend: harness.legacy, rule: ChainRule()), ChainMember(backend: other, rule: ChainRule()),
            ],
            order: .inOrder, lazyMigration: harness.chain.lazyMigration)
        harness.notify(Subscription(state: .inactive))
        let (first, second) = (credentials("ada@example.com", "right"), credentials("ada@example.com", "others"))
        _ = try await chain.authenticate(first, context: CallContext()).value
        await harness.events.wait(for: 1)
        let copy = try #require(try await copy(harness, "right"))
        _ = try await chain.authenticate(second, context: CallContext()).value
        let events = await harness.events.wait(for: 2)
        #expect(events.map(\.name) == ["lazy_migration_completed", "lazy_migration_conflict"])
        #expect(events.last?.detail == "a reader of other has the identifier of one migrated from legacy")
        #expect(try await harness.embedded.subscription(of: copy, context: CallContext()).value.state == .inactive)
        #expect(try await self.copy(harness, "others") == nil)
        #expect(try await self.copy(harness, "right") == copy)
        // The first one's copy is still updated.
        harness.notify(Subscription(state: .suspended))
        _ = try await chain.authenticate(first, context: CallContext()).value
        await harness.events.wait(for: 3)
        #expect(try await harness.embedded.subscription(of: copy, context: CallContext()).value.state == .suspended)
    }

    @Test("Pitfall 7: a reader with a reassigned identifier gets a new copy, and the former copy is unknown")
    func reassigned() async throws {
        let harness = try Harness()
        let active = Subscription(state: .active, entitlement: .editions([Self.editions[0]]))
        #expect(try await harness.migrate(credentials("ada@example.com", "first"), subscription: active) == .written)
        let before = try #require(try await copy(harness, "first"))
        let theirs = credentials("ada@example.com", "second")
        #expect(try await harness.migrate(theirs, key: "2", subscription: Subscription(state: .inactive)) == .written)
        let after = try #require(try await copy(harness, "second"))
        #expect(after != before)
        #expect(try await harness.embedded.subscription(of: before, context: CallContext()).value.state == .unknown)
        #expect(
            try await harness.embedded.subscription(of: after, context: CallContext()).value
                == Subscription(state: .inactive)
        )
        #expect(try await copy(harness, "first") == nil)
    }

    @Test("The same password does not give a reader another reader's copy")
    func samePassword() async throws {
        let harness = try Harness()
        let (ada, active) = (credentials("ada@example.com", "right"), Subscription(state: .active))
        #expect(try await harness.migrate(ada, subscription: active) == .written)
        let before = try await copy(harness, "right")
        #expect(
            try await harness.embedded.migrate(ada, from: [Self.origin("other", "1")], subscription: active)
                == .ownedByOtherBackend(backend: "legacy"))
        #expect(try await copy(harness, "right") == before)
        #expect(try await harness.migrate(ada, key: "2", subscription: active) == .written)
        #expect(try await copy(harness, "right") != before)
    }

    @Test("A reader of several systems keeps the copy while one of them names its origin")
    func severalSystems() async throws {
        let harness = try Harness()
        let (ada, active) = (credentials("ada@example.com", "right"), Subscription(state: .active))
        let (a, b) = (Self.origin("a", "1"), Self.origin("b", "1"))
        #expect(try await harness.embedded.migrate(ada, from: [a, b], subscription: active) == .written)
        let copy = try await copy(harness, "right")
        #expect(try await harness.embedded.migrate(ada, from: [b, a], subscription: active) == .unchanged)
        // The copy comes from a, so data of b alone does not overwrite it.
        #expect(
            try await harness.embedded.migrate(ada, from: [b], subscription: active)
                == .ownedByOtherBackend(backend: "a"))
        #expect(try await self.copy(harness, "right") == copy)
    }

    @Test("A copy of unknown origin is replaced under a new number")
    func withoutOrigin() async throws {
        let harness = try Harness()
        let (ada, active) = (credentials("ada@example.com", "right"), Subscription(state: .active))
        #expect(try await harness.migrate(ada, subscription: active) == .written)
        let before = try await copy(harness, "right")
        try await harness.fixture.execute(
            "UPDATE subscriber SET migrated_backend = NULL, migrated_pseudonym = NULL")
        #expect(try await harness.migrate(ada, subscription: active) == .written)
        let after = try await copy(harness, "right")
        #expect(after != nil && after != before)
        #expect(try await harness.migrate(ada, subscription: active) == .unchanged)
    }
}
