import Foundation
import GRDB
import Gatefold
import TestSupport
import Testing

@testable import Backends

@Suite("Readers taken over while they sign in elsewhere") struct AdoptionTests {
    private static let editions = (1...2).compactMap { EditionID("com.example.\($0)") }

    private struct Rig {
        let bench: Bench
        let legacy: FakeMember
        let chain: ChainBackend
        let events: EventLog
        let embedded: SQLiteSubscriberBackend

        /// Recognises whoever types the present password.
        init(password: String = "right", legacyStops: Bool = true) throws {
            bench = try Bench()
            events = EventLog()
            embedded = bench.backend()
            legacy = FakeMember("legacy")
            let services = try testServices(clock: bench.clock, events: events)
            chain = ChainBackend(
                name: "readers",
                members: [
                    ChainMember(backend: legacy, rule: ChainRule(notRecognised: legacyStops ? .stop : .next)),
                    ChainMember(backend: embedded, rule: ChainRule()),
                ],
                order: .inOrder,
                adoption: Adoption(
                    chain: "readers", adopter: embedded, references: services.references, observe: services.observe))
            set(password: password)
        }

        func set(password: String) {
            legacy.change {
                $0.recognise = {
                    $0["password"] == password
                        ? .recognised(Subscriber(backend: "legacy", key: $0.identifier)) : .notRecognised(message: nil)
                }
            }
        }

        func tell(_ subscription: Subscription) { legacy.change { $0.subscription = { _ in subscription } } }

        func breakDown() { legacy.change { $0.recognise = { _ in throw FakeMember.Down() } } }

        func signIn(_ identifier: String = "ada@example.com", _ password: String = "right") async throws -> Subscriber?
        {
            let answer = try await chain.recognise(credentials(identifier, password), inquiry: Inquiry())
            if case .recognised(let subscriber) = answer { return subscriber }
            return nil
        }
    }

    @Test("the reader is written down with a new hash and what the other system says, marked as adopted")
    func written() async throws {
        let rig = try Rig()
        let period = Period(start: rig.bench.clock.now.addingTimeInterval(-86_400), end: nil)
        rig.tell(
            Subscription(
                state: .inactive, message: "Lapsed.", entitlement: .editions(Set(Self.editions)),
                userInfo: [UserInfoCategory(scheme: "tier", value: "gold")], periods: [period]))
        let who = try await rig.signIn("  ADA@example.com")
        #expect(who == Subscriber(backend: "legacy", key: "ada@example.com"))
        #expect(await rig.events.wait(for: 1).map(\.name) == ["adopted"])
        let record = try #require(try await rig.bench.database.find("ada@example.com"))
        #expect(record.adopted == rig.bench.clock.now)
        #expect(record.passwordHash?.hasPrefix("$y$") == true)
        #expect(record.state == .inactive && record.message == "Lapsed.")
        #expect(record.editions == Self.editions && !record.hasAllEditions)
        #expect(record.periods == [period])
        #expect(record.categories == [UserInfoCategory(scheme: "tier", value: "gold")])
    }

    @Test("the copy answers only while the other system is down")
    func standsIn() async throws {
        let rig = try Rig()
        rig.tell(Subscription(state: .active, entitlement: .editions([Self.editions[0]])))
        _ = try await rig.signIn()
        await rig.events.wait(for: 1)
        rig.breakDown()
        let who = try #require(try await rig.signIn())
        #expect(who.backend == "embedded")
        let told = try await rig.chain.subscription(of: who, inquiry: Inquiry())
        #expect(told.state == .active && told.entitlement == .editions([Self.editions[0]]))
        // Not everybody is adopted, so nobody is refused meanwhile.
        await #expect(throws: ChainFailure.self) { try await rig.signIn("ada@example.com", "wrong") }
        await #expect(throws: ChainFailure.self) { try await rig.signIn("bob@example.com", "right") }
    }

    @Test("Pitfall 8: with `not_recognised: stop` an old password ends where it was changed")
    func oldPassword() async throws {
        let rig = try Rig()
        _ = try await rig.signIn()
        await rig.events.wait(for: 1)
        rig.set(password: "new")
        #expect(try await rig.signIn() == nil)
        #expect(try await rig.signIn("ada@example.com", "new") != nil)
        #expect(await rig.events.wait(for: 2).map(\.name) == ["adopted", "adopted"])
        rig.breakDown()
        #expect(try await rig.signIn("ada@example.com", "new")?.backend == "embedded")
        await #expect(throws: ChainFailure.self) { try await rig.signIn() }
    }

    @Test("Pitfall 8: with `not_recognised: next` an old password lives on, as the guide warns")
    func oldPasswordLivesOn() async throws {
        let rig = try Rig(legacyStops: false)
        _ = try await rig.signIn()
        await rig.events.wait(for: 1)
        rig.set(password: "new")
        #expect(try await rig.signIn()?.backend == "embedded")
    }

    @Test("an active copy ends with the period that was paid for")
    func ends() async throws {
        let rig = try Rig()
        let now = rig.bench.clock.now
        rig.tell(
            Subscription(
                state: .active, entitlement: .allEditions,
                periods: [
                    Period(start: now, end: now.addingTimeInterval(60)), Period(start: now, end: now),
                ]))
        _ = try await rig.signIn()
        await rig.events.wait(for: 1)
        rig.breakDown()
        let who = try #require(try await rig.signIn())
        #expect(try await rig.chain.subscription(of: who, inquiry: Inquiry()).state == .active)
        rig.bench.clock.advance(by: 61)
        #expect(try await rig.chain.subscription(of: who, inquiry: Inquiry()).state == .inactive)
    }

    @Test("it is written again when the subscription changed, and else not even hashed")
    func again() async throws {
        let rig = try Rig()
        _ = try await rig.signIn()
        await rig.events.wait(for: 1)
        _ = rig.bench.counter.take()
        let adoption = try #require(rig.chain.adoption)
        _ = try await rig.signIn()
        await adoption.settled()
        #expect(rig.bench.counter.take().isEmpty)
        rig.tell(Subscription(state: .suspended))
        _ = try await rig.signIn()
        #expect(await rig.events.wait(for: 2).count == 2)
        #expect(try await rig.bench.database.find("ada@example.com")?.state == .suspended)
    }

    @Test("after a restart the same password keeps its hash")
    func restarted() async throws {
        let rig = try Rig()
        let told = Subscription(state: .active)
        #expect(try await rig.embedded.adopt(credentials("ada@example.com", "right"), subscription: told) == .written)
        let hash = try await rig.bench.database.find("ada@example.com")?.passwordHash
        #expect(try await rig.embedded.adopt(credentials("ada@example.com", "right"), subscription: told) == .unchanged)
        #expect(try await rig.bench.database.find("ada@example.com")?.passwordHash == hash)
        #expect(try await rig.embedded.adopt(credentials("ada@example.com", "other"), subscription: told) == .written)
        #expect(try await rig.bench.database.find("ada@example.com")?.passwordHash != hash)
    }

    @Test("what the operator wrote is never overwritten: an import, a state set by hand, a password set by hand")
    func operators() async throws {
        let rig = try Rig()
        let (database, told) = (rig.bench.database, Subscription(state: .active))
        try await rig.bench.load("identifier,password,state\nann@example.com,own,suspended\n")
        let ann = credentials("ann@example.com", "right")
        #expect(try await rig.embedded.adopt(ann, subscription: told) == .notOurs)
        #expect(try await database.find("ann@example.com")?.state == .suspended)
        let ada = credentials("ada@example.com", "right")
        for takeOver: () async throws -> Void in [
            { try await database.setState(.suspended, of: "ada@example.com") },
            { try await database.setPassword(hash: try rig.bench.hasher.hash("own"), of: "ada@example.com") },
            { try await rig.bench.load("identifier,state\nada@example.com,suspended\n") },
        ] {
            #expect(try await rig.embedded.adopt(ada, subscription: told) == .written)
            try await takeOver()
            let theirs = try await database.find("ada@example.com")
            #expect(theirs?.adopted == nil)
            #expect(try await rig.embedded.adopt(ada, subscription: Subscription(state: .inactive)) == .notOurs)
            #expect(try await database.find("ada@example.com") == theirs)
            try await database.delete("ada@example.com")
        }
    }

    @Test("the last export of the old system, without passwords, leaves adopted readers theirs")
    func retirement() async throws {
        let rig = try Rig()
        let ada = credentials("ada@example.com", "right")
        #expect(try await rig.embedded.adopt(ada, subscription: Subscription(state: .active)) == .written)
        try await rig.bench.load("identifier,state\nada@example.com,inactive\n")
        let answer = try await rig.embedded.recognise(ada, inquiry: Inquiry())
        guard case .recognised(let subscriber) = answer else {
            Issue.record("not recognised")
            return
        }
        #expect(try await rig.embedded.subscription(of: subscriber, inquiry: Inquiry()).state == .inactive)
    }

    @Test("nobody is written down whose subscription is unknown or stale, or who gave no proof")
    func nobody() async throws {
        let rig = try Rig()
        for state in [SubscriptionState.unknown, .stale] {
            rig.tell(Subscription(state: state))
            #expect(try await rig.signIn() != nil)
            await rig.chain.adoption?.settled()
        }
        let without = credentials("ada@example.com", nil)
        #expect(try await rig.embedded.adopt(without, subscription: Subscription(state: .active)) == .notOurs)
        #expect(try await rig.bench.database.find("ada@example.com") == nil)
        #expect(rig.events.all.isEmpty)
    }

    @Test("a store that can not be written to does not fail the sign-in, and the next one tries again")
    func busy() async throws {
        let rig = try Rig()
        let other = try rig.bench.otherConnection()
        try await other.writeWithoutTransaction { try $0.execute(sql: "BEGIN IMMEDIATE") }
        #expect(try await rig.signIn() != nil)
        #expect(await rig.events.wait(for: 1).map(\.name) == ["adoption_failed"])
        try await other.writeWithoutTransaction { try $0.execute(sql: "ROLLBACK") }
        #expect(try await rig.signIn() != nil)
        #expect(await rig.events.wait(for: 2).map(\.name) == ["adoption_failed", "adopted"])
    }
}
