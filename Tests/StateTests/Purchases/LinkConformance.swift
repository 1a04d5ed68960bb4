import Foundation
import Gatefold
import Testing

@Suite("Linking", .serialized) struct LinkConformance {
    private let subscriber = buyer(100)

    @Test("makes installations and their subscriber one person, in both directions", arguments: FullStore.allCases)
    func sharing(kind: FullStore) async throws {
        try await kind.with { store async throws in
            try await store.claim(.sample("1"), by: buyer(1), receipt: "1")
            try await store.claim(.sample("2"), by: buyer(2), receipt: "2")
            try await store.claim(.sample("3"), by: subscriber, receipt: "3")
            #expect(try await store.subscriber(linkedWith: buyer(1)) == nil)
            for number: UInt8 in 1...2 { try await store.link(buyer(number), to: subscriber) }
            for one in [buyer(1), buyer(2), subscriber] {
                #expect(try await store.ids(of: one) == ["1", "2", "3"])
            }
            #expect(try await store.subscriber(linkedWith: buyer(1)) == SealedSubscriber(bytes: [7]))
            #expect(try await store.subscriber(linkedWith: subscriber) == nil)
            #expect(try await store.unlink(buyer(1)))
            #expect(try await !store.unlink(buyer(1)))
            #expect(try await store.ids(of: buyer(1)) == ["1"])
            #expect(try await store.ids(of: buyer(2)) == ["2", "3"])
            #expect(try await store.ids(of: subscriber) == ["2", "3"])
        }
    }

    @Test("tells who is one person with somebody, whoever of them is asked about", arguments: FullStore.allCases)
    func persons(kind: FullStore) async throws {
        try await kind.with { store async throws in
            #expect(try await store.person(of: buyer(1)) == [buyer(1)])
            for number: UInt8 in 1...2 { try await store.link(buyer(number), to: subscriber) }
            for one in [buyer(1), buyer(2), subscriber] {
                let person = try await store.person(of: one)
                #expect(person.first == one)
                #expect(Set(person) == [buyer(1), buyer(2), subscriber] && person.count == 3)
            }
            _ = try await store.unlink(buyer(1))
            #expect(try await store.person(of: buyer(1)) == [buyer(1)])
        }
    }

    @Test("counts all of a person's devices as one claim", arguments: FullStore.allCases)
    func onePerson(kind: FullStore) async throws {
        try await kind.with { store async throws in
            for number: UInt8 in 1...3 { try await store.link(buyer(number), to: subscriber) }
            for number: UInt8 in 1...3 {
                #expect(try await store.claim(.sample(), by: buyer(number), rule: .exclusive) == .settled)
            }
            #expect(try await store.claim(.sample(), by: subscriber, rule: .exclusive) == .settled)
            #expect(try await store.claim(.sample(), by: buyer(9), rule: .exclusive) == .claimedByAnother)
            // Linked with the person who has it, it is another's no longer.
            try await store.link(buyer(9), to: subscriber)
            #expect(try await store.claim(.sample(), by: buyer(9), rule: .exclusive) == .settled)
        }
    }

    @Test("Pitfall 18: parting leaves behind what another of the person's brought", arguments: FullStore.allCases)
    func parting(kind: FullStore) async throws {
        try await kind.with { store async throws in
            #expect(try await store.claim(.sample(), by: subscriber, rule: .exclusive) == .settled)
            for number: UInt8 in 1...3 {
                try await store.link(buyer(number), to: subscriber)
                #expect(try await store.claim(.sample(), by: buyer(number), rule: .exclusive) == .settled)
                #expect(try await store.unlink(buyer(number)))
                #expect(try await store.ids(of: buyer(number)).isEmpty)
                #expect(try await store.claim(.sample(), by: buyer(number), rule: .exclusive) == .claimedByAnother)
            }
        }
    }

    @Test("Pitfall 8: ending all of a subscriber's sessions ends the links", arguments: FullStore.allCases)
    func revoked(kind: FullStore) async throws {
        try await kind.with { store async throws in
            let reference = SubscriberReference(bytes: subscriber.bytes.prefix(SubscriberReference.size))!
            for number: UInt8 in 1...2 { try await store.link(buyer(number), to: subscriber) }
            try await store.link(buyer(3), to: buyer(101))
            let device = SessionReference(bytes: [1, 2, 3, 4])
            try await store.record(Revocation(publication: daily, subscriber: reference, session: device, at: noon))
            #expect(try await store.subscriber(linkedWith: buyer(1)) != nil)
            try await store.record(Revocation(publication: daily, subscriber: reference, session: nil, at: noon))
            for number: UInt8 in 1...2 { #expect(try await store.subscriber(linkedWith: buyer(number)) == nil) }
            #expect(try await store.subscriber(linkedWith: buyer(3)) != nil)
        }
    }

    @Test("with another subscriber takes one's own claims along", arguments: FullStore.allCases)
    func moving(kind: FullStore) async throws {
        try await kind.with { store async throws in
            try await store.link(buyer(1), to: subscriber)
            try await store.claim(.sample("1"), by: buyer(1), receipt: "1")
            try await store.claim(.sample("2"), by: subscriber, receipt: "2")
            try await store.link(buyer(1), to: buyer(101))
            #expect(try await store.ids(of: subscriber) == ["2"])
            #expect(try await store.ids(of: buyer(101)) == ["1"])
            #expect(try await store.ids(of: buyer(1)) == ["1"])
        }
    }

    @Test("one too many takes the place of the one linked longest ago", arguments: FullStore.allCases)
    func limit(kind: FullStore) async throws {
        try await kind.with { store async throws in
            for number: UInt8 in 1...3 {
                try await store.link(buyer(number), to: subscriber, most: 3, at: noon + Double(number))
            }
            // Linking again counts as new.
            try await store.link(buyer(1), to: subscriber, most: 3, at: noon + 10)
            try await store.link(buyer(4), to: subscriber, most: 3, at: noon + 11)
            #expect(try await store.subscriber(linkedWith: buyer(2)) == nil)
            for number: UInt8 in [1, 3, 4] { #expect(try await store.subscriber(linkedWith: buyer(number)) != nil) }
            // The newcomer stays even where the clock was set back.
            try await store.link(buyer(5), to: subscriber, most: 1, at: noon - 60)
            for number: UInt8 in 1...4 { #expect(try await store.subscriber(linkedWith: buyer(number)) == nil) }
            #expect(try await store.subscriber(linkedWith: buyer(5)) != nil)
        }
    }

    @Test("with oneself is nothing", arguments: FullStore.allCases)
    func oneself(kind: FullStore) async throws {
        try await kind.with { store async throws in
            try await store.link(subscriber, to: subscriber)
            #expect(try await !store.unlink(subscriber))
        }
    }
}
