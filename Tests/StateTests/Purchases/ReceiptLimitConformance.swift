import Commerce
import Foundation
import GRDB
import Gatefold
import Testing

@testable import State

@Suite("Limits of unverified receipts", .stateServers, .serialized) struct ReceiptLimitConformance {
    @Test(
        "Limits receipts per owner, and rejected ones make room, oldest first",
        arguments: TestedStore<any PurchaseLedger>.all)
    func owner(kind: TestedStore<any PurchaseLedger>) async throws {
        try await kind.with { store async throws in
            let limits = ReceiptLimits(perOwner: 3)
            func persist(_ text: String, of owner: PurchaseOwner? = buyer(1), at timestamp: Date = noon) async throws
                -> ReceiptRecord
            {
                try await store.persist(.sample(text, of: owner), within: limits, at: timestamp)
            }
            for number in 1...2 {
                let record = try await persist("refused \(number)")
                try await store.reject(record, ReceiptRejection(.rejectedByStore), at: noon + Double(number))
            }
            _ = try await persist("pending 1")
            for number in 2...3 {
                _ = try await persist("pending \(number)")
                #expect(
                    try await store.receiptCounts(in: daily).stores[appStore]
                        == .init(pending: number, rejected: 3 - number))
            }
            await #expect(throws: ReceiptLimitReached.perOwner) { try await persist("pending 4") }
            // A known receipt is not new, and other owners have separate limits.
            let known = try await persist("pending 3")
            #expect(known.status == .pending(attempts: 0))
            _ = try await persist("pending 4", of: buyer(2))
            for number in 1...9 { _ = try await persist("nobody's \(number)", of: nil) }
            // A verified receipt makes room, too.
            _ = try await store.settle(
                known, proving: [.sample()], claims: .exclusive, delivering: [], at: noon)
            _ = try await persist("pending 4")
        }
    }

    @Test("A receipt that a claim refers to is never removed", arguments: TestedStore<any PurchaseLedger>.all)
    func claimed(kind: TestedStore<any PurchaseLedger>) async throws {
        try await kind.with { store async throws in
            let limits = ReceiptLimits(perOwner: 1)
            try await store.claim(.month(), by: buyer(1), receipt: "claimed")
            let record = try await store.persist(.sample("claimed"), at: noon + 1)
            try await store.reject(record, ReceiptRejection(.rejectedByStore), at: noon + 1)
            await #expect(throws: ReceiptLimitReached.perOwner) {
                try await store.persist(.sample("next"), within: limits, at: noon + 2)
            }
            let reverifications = try await store.reverifications(
                .ending(Period(start: noon, end: nil)), of: nil, in: [appStore], environments: [.production],
                verifiedBefore: noon + 1, at: noon + 2, limit: 9)
            #expect(reverifications.first?.receipt == StoreReceipt([.receipt: "claimed"]))
        }
    }

    @Test("Limits receipts per publication and hour across all owners", arguments: TestedStore<any PurchaseLedger>.all)
    func hour(kind: TestedStore<any PurchaseLedger>) async throws {
        try await kind.with { store async throws in
            let limits = ReceiptLimits(perOwner: 9, perHour: 3)
            func persist(_ number: UInt8, in publication: PublicationID = daily, at timestamp: Date) async throws {
                _ = try await store.persist(
                    .sample("\(number)", of: buyer(number), in: publication), within: limits, at: timestamp)
            }
            let rejected = try await store.persist(.sample("0", of: buyer(99)), within: limits, at: noon)
            try await store.reject(rejected, ReceiptRejection(.forged), at: noon)
            for number: UInt8 in 1...2 { try await persist(number, at: noon + Double(number)) }
            await #expect(throws: ReceiptLimitReached.perHour) { try await persist(3, at: noon + 3_599) }
            try await persist(3, in: weekly, at: noon + 3_599)
            try await persist(3, at: noon + 3_600)
            await #expect(throws: ReceiptLimitReached.perHour) { try await persist(4, at: noon + 3_600) }
            try await persist(1, at: noon + 3_600)
        }
    }

    @Test(
        "Limits the number of pending receipts, and settled ones make room",
        arguments: TestedStore<any PurchaseLedger>.all)
    func pending(kind: TestedStore<any PurchaseLedger>) async throws {
        try await kind.with { store async throws in
            let limits = ReceiptLimits(pending: 2)
            func wait(_ number: UInt8, in publication: PublicationID = daily) async throws -> ReceiptRecord? {
                let record = try await store.persist(
                    .sample(of: buyer(number), in: publication), within: limits, at: noon)
                let waits = try await store.postpone(record.id, within: limits, at: noon, until: noon + 60)
                return waits ? record : nil
            }
            let first = try #require(try await wait(1))
            let second = try #require(try await wait(2))
            #expect(try await wait(3) == nil)
            #expect(try await wait(3, in: weekly) != nil)
            #expect(try await store.receiptCounts(in: daily).stores == [appStore: .init(pending: 2)])
            // Pending receipts stay pending, and an available store is still queried about others.
            #expect(try await store.postpone(first.id, within: limits, at: noon, until: noon + 120))
            let fourth = try await store.persist(.sample(of: buyer(4)), within: limits, at: noon)
            _ = try await store.settle(fourth, proving: [.sample()], claims: .exclusive, delivering: [], at: noon)
            try await store.reject(first, ReceiptRejection(.rejectedByStore), at: noon)
            #expect(try await wait(5) != nil)
            #expect(try await wait(6) == nil)
            _ = try await store.settle(
                second, proving: [.sample("2")], claims: .exclusive, delivering: [], at: noon)
            #expect(try await wait(6) != nil)
        }
    }

    @Test(
        "The limits do not reject a receipt that its store has verified", arguments: TestedStore<any PurchaseLedger>.all
    )
    func genuine(kind: TestedStore<any PurchaseLedger>) async throws {
        try await kind.with { store async throws in
            for number in 1...100 { _ = try await store.persist(.sample("pending \(number)"), at: noon) }
            await #expect(throws: ReceiptLimitReached.perOwner) { try await store.persist(.sample("new"), at: noon) }
            for number in 1...3 {
                #expect(
                    try await store.persist(
                        .sample("genuine \(number)"), proving: [.sample()], claims: .exclusive, at: noon) == .settled)
            }
            #expect(try await store.ids(of: buyer(1)) == ["1"])
            // A receipt rejected before remains the same record. Another owner's is rejected, and a new one is not
            // stored.
            let rejected = try await store.persist(.sample(of: buyer(2)), at: noon)
            try await store.reject(rejected, ReceiptRejection(.notFound), at: noon)
            for text in ["receipt", "new"] {
                #expect(
                    try await store.persist(
                        .sample(text, of: buyer(2)), proving: [.sample(revoked: noon, reported: noon + 1)],
                        claims: .exclusive, at: noon + 1) == .claimedByAnother)
            }
            #expect(
                try await store.receiptCounts(in: daily).stores == [
                    appStore: .init(pending: 100, verified: 1, rejected: 1)
                ])
            #expect(
                try await store.persist(.sample(of: buyer(2)), at: noon).status
                    == .rejected(ReceiptRejection(.claimedByAnother), at: noon + 1))
            #expect(try await store.transactions(of: "1", in: appStore).map(\.revoked) == [noon])
            #expect(
                try await store.persist(
                    .sample(of: buyer(2)), proving: [.sample("2")], claims: .exclusive, at: noon + 2) == .settled)
            #expect(
                try await store.receiptCounts(in: daily).stores == [appStore: .init(pending: 100, verified: 2)])
        }
    }

    @Test("Many variants of one genuine receipt leave one record", arguments: TestedStore<any PurchaseLedger>.all)
    func varied(kind: TestedStore<any PurchaseLedger>) async throws {
        try await kind.with { store async throws in
            for number in 1...30 {
                try await store.claim(.sample(), by: buyer(1), receipt: "variant \(number)")
                // A renewal of another purchase keeps the receipt that proved it.
                if number == 1 { try await store.claim(.sample("2"), by: buyer(1), receipt: "of the second") }
            }
            #expect(try await store.receiptCounts(in: daily).stores == [appStore: .init(verified: 2)])
            #expect(try await store.ids(of: buyer(1)) == ["1", "2"])
            // A receipt of a purchase that the person already has is not needed.
            try await store.link(buyer(2), to: buyer(1))
            for number in 1...9 { try await store.claim(.sample(), by: buyer(2), receipt: "linked \(number)") }
            #expect(try await store.receiptCounts(in: daily).stores == [appStore: .init(verified: 3)])
            let file = try #require(store as? SQLStateStore)
            let parts = try await file.database.read { db in
                try db.allBytes("SELECT parts FROM receipt WHERE owner = ?", [Data(buyer(2).bytes)])
            }
            #expect(parts == [Data()])
        }
    }
}
