import Commerce
import Foundation
import Gatefold
import State
import Testing

@Suite("Links of owners", .stateServers, .serialized) struct LinkConformance {
    private let subscriber = buyer(100)

    @Test(
        "Installations linked to a subscriber are one person, in both directions",
        arguments: TestedStore<any PurchaseLedger & RevocationStore>.all)
    func sharing(kind: TestedStore<any PurchaseLedger & RevocationStore>) async throws {
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

    @Test(
        "Returns all owners of one person for each of them",
        arguments: TestedStore<any PurchaseLedger & RevocationStore>.all)
    func persons(kind: TestedStore<any PurchaseLedger & RevocationStore>) async throws {
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

    @Test(
        "All devices of a person count as one claim", arguments: TestedStore<any PurchaseLedger & RevocationStore>.all)
    func onePerson(kind: TestedStore<any PurchaseLedger & RevocationStore>) async throws {
        try await kind.with { store async throws in
            for number: UInt8 in 1...3 { try await store.link(buyer(number), to: subscriber) }
            for number: UInt8 in 1...3 {
                #expect(try await store.claim(.sample(), by: buyer(number), rule: .exclusive) == .settled)
            }
            #expect(try await store.claim(.sample(), by: subscriber, rule: .exclusive) == .settled)
            #expect(try await store.claim(.sample(), by: buyer(9), rule: .exclusive) == .claimedByAnother)
            // Linked with the person who has the purchase, the owner is no longer another person.
            try await store.link(buyer(9), to: subscriber)
            #expect(try await store.claim(.sample(), by: buyer(9), rule: .exclusive) == .settled)
        }
    }

    @Test(
        "Pitfall 18: an unlinked owner loses the purchases of the other owners",
        arguments: TestedStore<any PurchaseLedger & RevocationStore>.all)
    func parting(kind: TestedStore<any PurchaseLedger & RevocationStore>) async throws {
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

    @Test(
        "After any end of a link, a receipt of a purchase that another owner claimed is new",
        arguments: TestedStore<any PurchaseLedger & RevocationStore>.all)
    func unclaimedReceipts(kind: TestedStore<any PurchaseLedger & RevocationStore>) async throws {
        let subscriber = subscriber
        let reference = SubscriberPseudonym(bytes: subscriber.bytes.prefix(SubscriberPseudonym.size))!
        let ends: [@Sendable (any PurchaseLedger & RevocationStore) async throws -> Void] = [
            { _ = try await $0.unlink(buyer(1)) },
            { try await $0.link(buyer(1), to: buyer(101)) },
            { try await $0.link(buyer(2), to: subscriber, limit: 1, at: noon + 1) },
            { _ = try await $0.erase(subscriber) },
            {
                try await $0.record(
                    Revocation(publication: daily, subscriber: reference, session: nil, at: noon))
            },
        ]
        for end in ends {
            try await kind.with { store async throws in
                try await store.claim(.sample("1"), by: subscriber, receipt: "1")
                try await store.link(buyer(1), to: subscriber)
                try await store.claim(.sample("2"), by: buyer(1), receipt: "2")
                try await store.claim(.sample("1"), by: buyer(1), receipt: "1")
                // A repeated link with the same subscriber changes nothing.
                try await store.link(buyer(1), to: subscriber)
                #expect(try await store.persist(.sample("1"), at: noon).status == .verified(at: noon))
                try await store.claim(.sample("1"), by: buyer(1), receipt: "1")
                try await end(store)
                #expect(try await store.ids(of: buyer(1)) == ["2"])
                #expect(try await store.persist(.sample("1"), at: noon).status == .pending(attempts: 0))
                #expect(try await store.persist(.sample("2"), at: noon).status == .verified(at: noon))
            }
        }
    }

    @Test(
        "The remaining owners lose the purchases of the owner who leaves",
        arguments: TestedStore<any PurchaseLedger & RevocationStore>.all)
    func staying(kind: TestedStore<any PurchaseLedger & RevocationStore>) async throws {
        for isErased in [false, true] {
            try await kind.with { store async throws in
                try await store.claim(.sample("1"), by: buyer(1), receipt: "1")
                for number: UInt8 in 1...2 { try await store.link(buyer(number), to: subscriber) }
                for owner in [buyer(2), subscriber] { try await store.claim(.sample("1"), by: owner, receipt: "own") }
                if isErased {
                    _ = try await store.erase(buyer(1))
                } else {
                    _ = try await store.unlink(buyer(1))
                }
                for owner in [buyer(2), subscriber] {
                    #expect(try await store.ids(of: owner).isEmpty)
                    #expect(
                        try await store.persist(.sample("own", of: owner), at: noon).status == .pending(attempts: 0))
                }
            }
        }
    }

    @Test(
        "Pitfall 8: a revocation of all sessions of a subscriber removes the links",
        arguments: TestedStore<any PurchaseLedger & RevocationStore>.all)
    func revoked(kind: TestedStore<any PurchaseLedger & RevocationStore>) async throws {
        try await kind.with { store async throws in
            let reference = SubscriberPseudonym(bytes: subscriber.bytes.prefix(SubscriberPseudonym.size))!
            for number: UInt8 in 1...2 { try await store.link(buyer(number), to: subscriber) }
            try await store.link(buyer(3), to: buyer(101))
            let device = SessionPseudonym(bytes: [1, 2, 3, 4])
            try await store.record(Revocation(publication: daily, subscriber: reference, session: device, at: noon))
            #expect(try await store.subscriber(linkedWith: buyer(1)) != nil)
            try await store.record(Revocation(publication: daily, subscriber: reference, session: nil, at: noon))
            for number: UInt8 in 1...2 { #expect(try await store.subscriber(linkedWith: buyer(number)) == nil) }
            #expect(try await store.subscriber(linkedWith: buyer(3)) != nil)
        }
    }

    @Test(
        "A repeated revocation of all sessions leaves later links",
        arguments: TestedStore<any PurchaseLedger & RevocationStore>.all)
    func repeatedRevocation(kind: TestedStore<any PurchaseLedger & RevocationStore>) async throws {
        try await kind.with { store async throws in
            let reference = SubscriberPseudonym(bytes: subscriber.bytes.prefix(SubscriberPseudonym.size))!
            let revocation = Revocation(publication: daily, subscriber: reference, session: nil, at: noon + 0.5)
            try await store.link(buyer(1), to: subscriber, at: noon + 0.5)
            try await store.record(revocation)
            #expect(try await store.subscriber(linkedWith: buyer(1)) == nil)
            try await store.link(buyer(1), to: subscriber, at: revocation.before)
            try await store.record(revocation)
            #expect(try await store.subscriber(linkedWith: buyer(1)) != nil)
        }
    }

    @Test(
        "A link to another subscriber moves the owner's claims",
        arguments: TestedStore<any PurchaseLedger & RevocationStore>.all)
    func moving(kind: TestedStore<any PurchaseLedger & RevocationStore>) async throws {
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

    @Test(
        "A link over the limit replaces the oldest one",
        arguments: TestedStore<any PurchaseLedger & RevocationStore>.all)
    func limit(kind: TestedStore<any PurchaseLedger & RevocationStore>) async throws {
        try await kind.with { store async throws in
            for number: UInt8 in 1...3 {
                try await store.link(buyer(number), to: subscriber, limit: 3, at: noon + Double(number))
            }
            // A repeated link counts as new.
            try await store.link(buyer(1), to: subscriber, limit: 3, at: noon + 10)
            try await store.link(buyer(4), to: subscriber, limit: 3, at: noon + 11)
            #expect(try await store.subscriber(linkedWith: buyer(2)) == nil)
            for number: UInt8 in [1, 3, 4] { #expect(try await store.subscriber(linkedWith: buyer(number)) != nil) }
            // The new link remains even if the clock was set back.
            try await store.link(buyer(5), to: subscriber, limit: 1, at: noon - 60)
            for number: UInt8 in 1...4 { #expect(try await store.subscriber(linkedWith: buyer(number)) == nil) }
            #expect(try await store.subscriber(linkedWith: buyer(5)) != nil)
        }
    }

    @Test("A link to oneself has no effect", arguments: TestedStore<any PurchaseLedger & RevocationStore>.all)
    func oneself(kind: TestedStore<any PurchaseLedger & RevocationStore>) async throws {
        try await kind.with { store async throws in
            try await store.link(subscriber, to: subscriber)
            #expect(try await !store.unlink(subscriber))
        }
    }

    @Test(
        "Returns all owners of a purchase, including those linked to the same person",
        arguments: TestedStore<any PurchaseLedger & RevocationStore>.all)
    func owners(kind: TestedStore<any PurchaseLedger & RevocationStore>) async throws {
        try await kind.with { store async throws in
            #expect(try await store.owners(of: "1", in: appStore).isEmpty)
            try await store.claim(.sample("1"), by: buyer(1), receipt: "1")
            try await store.claim(.sample("1"), by: buyer(2), receipt: "2")
            try await store.claim(.sample("2"), by: buyer(3), receipt: "3")
            #expect(try await store.owners(of: "1", in: appStore) == [buyer(1), buyer(2)])
            try await store.link(buyer(1), to: buyer(100))
            try await store.link(buyer(4), to: buyer(100))
            #expect(try await store.owners(of: "1", in: appStore) == [buyer(1), buyer(2), buyer(4), buyer(100)])
            // The owner who has it through the subscriber who claimed it.
            try await store.link(buyer(5), to: buyer(3))
            #expect(try await store.owners(of: "2", in: appStore) == [buyer(3), buyer(5)])
            #expect(try await store.owners(of: "1", in: play).isEmpty)
        }
    }
}
