import Foundation
import GRDB
import Gatefold
import TestSupport
import Testing

@testable import Backends

@Suite("Readers taken over while they sign in elsewhere") struct AdoptionTests {
    private static let editions = (1...2).compactMap { EditionID("com.example.\($0)") }

    private static func origin(_ backend: String, _ key: String) -> AdoptionOrigin {
        let references = ReferenceKey(Secret(Array("a secret for references".utf8)))
        return AdoptionOrigin(
            backend: backend, reference: references.reference(to: Subscriber(backend: backend, key: key)))
    }

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

        /// As the legacy system's reader of this key.
        func adopt(
            _ credentials: Credentials, key: String = "1", subscription: Subscription
        ) async throws -> AdoptionOutcome {
            try await embedded.adopt(
                credentials, from: [AdoptionTests.origin("legacy", key)], subscription: subscription)
        }

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
        #expect(try await rig.adopt(credentials("ada@example.com", "right"), subscription: told) == .written)
        let hash = try await rig.bench.database.find("ada@example.com")?.passwordHash
        #expect(try await rig.adopt(credentials("ada@example.com", "right"), subscription: told) == .unchanged)
        #expect(try await rig.bench.database.find("ada@example.com")?.passwordHash == hash)
        #expect(try await rig.adopt(credentials("ada@example.com", "other"), subscription: told) == .written)
        #expect(try await rig.bench.database.find("ada@example.com")?.passwordHash != hash)
    }

    @Test("what the operator wrote is never overwritten: an import, a state set by hand, a password set by hand")
    func operators() async throws {
        let rig = try Rig()
        let (database, told) = (rig.bench.database, Subscription(state: .active))
        try await rig.bench.load("identifier,password,state\nann@example.com,own,suspended\n")
        let ann = credentials("ann@example.com", "right")
        #expect(try await rig.adopt(ann, subscription: told) == .notOurs)
        #expect(try await database.find("ann@example.com")?.state == .suspended)
        let ada = credentials("ada@example.com", "right")
        for takeOver: () async throws -> Void in [
            { try await database.setState(.suspended, of: "ada@example.com") },
            { try await database.setPassword(hash: try rig.bench.hasher.hash("own"), of: "ada@example.com") },
            { try await rig.bench.load("identifier,state\nada@example.com,suspended\n") },
        ] {
            #expect(try await rig.adopt(ada, subscription: told) == .written)
            try await takeOver()
            let theirs = try await database.find("ada@example.com")
            #expect(theirs?.adopted == nil && theirs?.origin == nil)
            #expect(try await rig.adopt(ada, subscription: Subscription(state: .inactive)) == .notOurs)
            #expect(try await database.find("ada@example.com") == theirs)
            try await database.delete("ada@example.com")
        }
    }

    @Test("the last export of the old system, without passwords, leaves adopted readers theirs")
    func retirement() async throws {
        let rig = try Rig()
        let ada = credentials("ada@example.com", "right")
        #expect(try await rig.adopt(ada, subscription: Subscription(state: .active)) == .written)
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
        #expect(try await rig.adopt(without, subscription: Subscription(state: .active)) == .notOurs)
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

    /// Who a sign-in at the store is: the number of the copy.
    private func copy(_ rig: Rig, _ password: String) async throws -> Subscriber? {
        let answer = try await rig.embedded.recognise(credentials("ada@example.com", password), inquiry: Inquiry())
        if case .recognised(let subscriber) = answer { return subscriber }
        return nil
    }

    @Test("Pitfall 7: two systems' readers with one identifier: the first one's copy stays theirs, and it is told")
    func overlap() async throws {
        let rig = try Rig()
        // The second system asks the other system's readers by the same identifier, with passwords of its own.
        let other = FakeMember("other") {
            $0.recognise = {
                $0["password"] == "others"
                    ? .recognised(Subscriber(backend: "other", key: $0.identifier)) : .notRecognised(message: nil)
            }
            $0.subscription = { _ in Subscription(state: .active, entitlement: .allEditions) }
        }
        let chain = ChainBackend(
            name: "readers",
            members: [
                ChainMember(backend: rig.legacy, rule: ChainRule()), ChainMember(backend: other, rule: ChainRule()),
            ],
            order: .inOrder, adoption: rig.chain.adoption)
        rig.tell(Subscription(state: .inactive))
        let (first, second) = (credentials("ada@example.com", "right"), credentials("ada@example.com", "others"))
        _ = try await chain.recognise(first, inquiry: Inquiry())
        await rig.events.wait(for: 1)
        let copy = try #require(try await copy(rig, "right"))
        _ = try await chain.recognise(second, inquiry: Inquiry())
        let events = await rig.events.wait(for: 2)
        #expect(events.map(\.name) == ["adopted", "adoption_conflict"])
        #expect(events.last?.detail == "a reader of other has the identifier of one adopted from legacy")
        #expect(try await rig.embedded.subscription(of: copy, inquiry: Inquiry()).state == .inactive)
        #expect(try await self.copy(rig, "others") == nil)
        #expect(try await self.copy(rig, "right") == copy)
        // The first one's copy is still kept up.
        rig.tell(Subscription(state: .suspended))
        _ = try await chain.recognise(first, inquiry: Inquiry())
        await rig.events.wait(for: 3)
        #expect(try await rig.embedded.subscription(of: copy, inquiry: Inquiry()).state == .suspended)
    }

    @Test("Pitfall 7: an identifier that the system gave to another reader: their copy is no one's before")
    func reassigned() async throws {
        let rig = try Rig()
        let active = Subscription(state: .active, entitlement: .editions([Self.editions[0]]))
        #expect(try await rig.adopt(credentials("ada@example.com", "first"), subscription: active) == .written)
        let before = try #require(try await copy(rig, "first"))
        let theirs = credentials("ada@example.com", "second")
        #expect(try await rig.adopt(theirs, key: "2", subscription: Subscription(state: .inactive)) == .written)
        let after = try #require(try await copy(rig, "second"))
        #expect(after != before)
        #expect(try await rig.embedded.subscription(of: before, inquiry: Inquiry()).state == .unknown)
        #expect(try await rig.embedded.subscription(of: after, inquiry: Inquiry()) == Subscription(state: .inactive))
        #expect(try await copy(rig, "first") == nil)
    }

    @Test("the same password of two readers makes no copy theirs")
    func samePassword() async throws {
        let rig = try Rig()
        let (ada, active) = (credentials("ada@example.com", "right"), Subscription(state: .active))
        #expect(try await rig.adopt(ada, subscription: active) == .written)
        let before = try await copy(rig, "right")
        #expect(
            try await rig.embedded.adopt(ada, from: [Self.origin("other", "1")], subscription: active)
                == .othersReader(backend: "legacy"))
        #expect(try await copy(rig, "right") == before)
        #expect(try await rig.adopt(ada, key: "2", subscription: active) == .written)
        #expect(try await copy(rig, "right") != before)
    }

    @Test("a reader of several systems keeps the copy while one of them names the reader it was made from")
    func severalSystems() async throws {
        let rig = try Rig()
        let (ada, active) = (credentials("ada@example.com", "right"), Subscription(state: .active))
        let (a, b) = (Self.origin("a", "1"), Self.origin("b", "1"))
        #expect(try await rig.embedded.adopt(ada, from: [a, b], subscription: active) == .written)
        let copy = try await copy(rig, "right")
        #expect(try await rig.embedded.adopt(ada, from: [b, a], subscription: active) == .unchanged)
        // Made from what a says: what b alone says is not written over it.
        #expect(try await rig.embedded.adopt(ada, from: [b], subscription: active) == .othersReader(backend: "a"))
        #expect(try await self.copy(rig, "right") == copy)
    }

    @Test("a copy of whom nobody knows where from makes way, with its number")
    func withoutOrigin() async throws {
        let rig = try Rig()
        let (ada, active) = (credentials("ada@example.com", "right"), Subscription(state: .active))
        #expect(try await rig.adopt(ada, subscription: active) == .written)
        let before = try await copy(rig, "right")
        try await rig.bench.otherConnection().write {
            try $0.execute(sql: "UPDATE subscriber SET adopted_backend = NULL, adopted_reference = NULL")
        }
        #expect(try await rig.adopt(ada, subscription: active) == .written)
        let after = try await copy(rig, "right")
        #expect(after != nil && after != before)
        #expect(try await rig.adopt(ada, subscription: active) == .unchanged)
    }
}
