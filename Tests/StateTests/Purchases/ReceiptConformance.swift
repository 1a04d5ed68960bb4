import Commerce
import Foundation
import GRDB
import Gatefold
import TestSupport
import Testing

@testable import State

@Suite("Receipts of a ledger", .stateServers, .serialized) struct ReceiptConformance {
    @Test(
        "A receipt is stored once per publication, store, owner and content",
        arguments: TestedStore<any PurchaseLedger & StateRetention>.all)
    func once(kind: TestedStore<any PurchaseLedger & StateRetention>) async throws {
        try await kind.with { store async throws in
            let first = try await store.persist(.sample(), at: noon)
            #expect(first.status == .pending(attempts: 0))
            #expect(first.received == noon)
            #expect(first.incoming == .sample())
            #expect(try await store.persist(.sample(), at: noon + 60) == first)
            var others: Set<ReceiptRecord.ID> = [first.id]
            for other in [
                IncomingReceipt.sample("other"), .sample(of: buyer(2)), .sample(of: nil), .sample(in: weekly),
                .sample(store: play),
            ] {
                let record = try await store.persist(other, at: noon)
                #expect(record.incoming == other)
                #expect(others.insert(record.id).inserted)
                #expect(try await store.persist(other, at: noon).id == record.id)
            }
        }
    }

    @Test(
        "A receipt keeps every part and its credit, and ambiguous text is rejected",
        arguments: TestedStore<any PurchaseLedger & StateRetention>.all)
    func whole(kind: TestedStore<any PurchaseLedger & StateRetention>) async throws {
        try await kind.with { store async throws in
            let parts = Dictionary(
                uniqueKeysWithValues: StoreReceipt.Part.allCases.map { ($0, "\($0) \0 + & ü \u{1F4F0}") })
            let receipt = IncomingReceipt(
                publication: daily, store: appStore, owner: buyer(1), receipt: StoreReceipt(parts),
                credit: Credit(account: "+49 30 1", price: "1,99 €", currency: "EUR"))
            let id = try await store.persist(receipt, at: noon).id
            let stored = try #require(try await store.receiptsDue(in: daily, at: noon + 60, limit: 9).first)
            #expect(stored.id == id)
            #expect(stored.incoming == receipt)
            await #expect(throws: (any Error).self) {
                try await store.persist(.sample(credit: Credit(account: "1\u{0}2")), at: noon)
            }
            #expect(try await store.receiptsDue(in: daily, at: noon + 60, limit: 9).count == 1)
        }
    }

    @Test(
        "Receipts wait until they are due, in order, and count their attempts",
        arguments: TestedStore<any PurchaseLedger & StateRetention>.all)
    func pending(kind: TestedStore<any PurchaseLedger & StateRetention>) async throws {
        try await kind.with { store async throws in
            let first = try await store.persist(.sample("1"), at: noon)
            let second = try await store.persist(.sample("2"), at: noon + 1)
            _ = try await store.persist(.sample("3", in: weekly), at: noon)
            // The process that accepted a receipt has one minute to complete it.
            #expect(try await store.receiptsDue(in: daily, at: noon + 59, limit: 9).isEmpty)
            #expect(try await store.receiptsDue(in: daily, at: noon + 61, limit: 9).map(\.id) == [first.id, second.id])
            #expect(try await store.receiptsDue(in: daily, at: noon + 60, limit: 9).map(\.id) == [first.id])
            #expect(try await store.receiptsDue(in: daily, at: noon + 61, limit: 1).map(\.id) == [first.id])
            try await store.postpone(first.id, at: noon, until: noon + 120)
            #expect(try await store.receiptsDue(in: daily, at: noon + 119, limit: 9).map(\.id) == [second.id])
            let due = try await store.receiptsDue(in: daily, at: noon + 120, limit: 9)
            #expect(due.map(\.id) == [second.id, first.id])
            #expect(due.last?.status == .pending(attempts: 1))
            #expect(due.last?.received == noon)
        }
    }

    @Test(
        "Settled receipts keep their status, also after an outage",
        arguments: TestedStore<any PurchaseLedger & StateRetention>.all)
    func settled(kind: TestedStore<any PurchaseLedger & StateRetention>) async throws {
        try await kind.with { store async throws in
            let rejection = ReceiptRejection(.rejectedByStore, code: 21_003)
            let rejected = try await store.persist(.sample("refused"), at: noon)
            try await store.reject(rejected, rejection, at: noon + 1)
            let verified = try await store.persist(.sample("proven"), at: noon)
            _ = try await store.settle(
                verified, proving: [.sample()], claims: .exclusive, delivering: [], at: noon + 2)
            for id in [rejected.id, verified.id] { try await store.postpone(id, at: noon, until: noon + 60) }
            #expect(try await store.persist(.sample("refused"), at: noon).status == .rejected(rejection, at: noon + 1))
            #expect(try await store.persist(.sample("proven"), at: noon).status == .verified(at: noon + 2))
            #expect(try await store.receiptsDue(in: daily, at: noon + 999, limit: 9).isEmpty)
        }
    }

    @Test(
        "A rejected receipt can become genuine, and the reverse",
        arguments: TestedStore<any PurchaseLedger & StateRetention>.all)
    func changing(kind: TestedStore<any PurchaseLedger & StateRetention>) async throws {
        try await kind.with { store async throws in
            let record = try await store.persist(.sample(), at: noon)
            for reason in ReceiptRejection.Reason.allCases {
                try await store.reject(record, ReceiptRejection(reason), at: noon + 1)
                #expect(
                    try await store.persist(.sample(), at: noon).status
                        == .rejected(ReceiptRejection(reason), at: noon + 1)
                )
            }
            _ = try await store.settle(
                record, proving: [.sample()], claims: .exclusive, delivering: [], at: noon + 2)
            #expect(try await store.persist(.sample(), at: noon).status == .verified(at: noon + 2))
        }
    }

    @Test(
        "Rejected receipts are erased except for their digest",
        arguments: TestedStore<any PurchaseLedger & StateRetention>.all)
    func forgotten(kind: TestedStore<any PurchaseLedger & StateRetention>) async throws {
        try await kind.with { store async throws in
            for reason in ReceiptRejection.Reason.allCases {
                let text = "rubbish that is \(reason.rawValue)"
                let record = try await store.persist(.sample(text), at: noon)
                try await store.reject(record, ReceiptRejection(reason), at: noon + 1)
                #expect(try await parts(of: record, store) == [Data()])
                // Submitted again, it is the same receipt, and its content is not stored if the store is down.
                let again = try await store.persist(.sample(text), at: noon + 2)
                #expect(again.id == record.id && again.incoming == .sample(text))
                #expect(try await store.postpone(again.id, at: noon, until: noon + 60))
                #expect(try await parts(of: record, store) == [Data()])
                // A receipt that becomes genuine is stored completely for its claim.
                _ = try await store.settle(
                    again, proving: [.sample(text)], claims: .exclusive, delivering: [], at: noon + 3)
                #expect(try await parts(of: record, store) == [Data(StoreReceipt([.receipt: text]).encoded)])
            }
        }
    }

    @Test(
        "A rejected receipt keeps its content if a claim needs it for reverification",
        arguments: TestedStore<any PurchaseLedger & StateRetention>.all)
    func needed(kind: TestedStore<any PurchaseLedger & StateRetention>) async throws {
        try await kind.with { store async throws in
            try await store.claim(.month(), by: buyer(1), receipt: "claimed")
            let record = try await store.persist(.sample("claimed"), at: noon + 1)
            try await store.reject(record, ReceiptRejection(.rejectedByStore), at: noon + 1)
            #expect(try await !parts(of: record, store).contains(Data()))
            // The same holds ninety days later.
            _ = try await store.persist(.sample("other"), at: noon + 100 * 86_400)
            #expect(try await parts(of: record, store).count == 1)
        }
    }

    @Test(
        "A rejection based on an outdated read does not overwrite a verification",
        arguments: TestedStore<any PurchaseLedger & StateRetention>.all)
    func overtaken(kind: TestedStore<any PurchaseLedger & StateRetention>) async throws {
        try await kind.with { store async throws in
            let read = try await store.persist(.sample(), at: noon)
            try await store.claim(.sample(), by: buyer(1), at: noon + 0.5)
            try await store.reject(read, ReceiptRejection(.notFound), at: noon + 2)
            let verified = try await store.persist(.sample(), at: noon + 3)
            #expect(verified.status == .verified(at: noon + 0.5))
            try await store.reject(verified, ReceiptRejection(.notFound), at: noon + 4)
            let rejected = try await store.persist(.sample(), at: noon + 5)
            #expect(rejected.status == .rejected(ReceiptRejection(.notFound), at: noon + 4))
        }
    }

    @Test("Only pending receipts can be abandoned", arguments: TestedStore<any PurchaseLedger & StateRetention>.all)
    func abandoned(kind: TestedStore<any PurchaseLedger & StateRetention>) async throws {
        try await kind.with { store async throws in
            let pending = try await store.persist(.sample("pending"), at: noon)
            let verified = try await store.persist(.sample("proven"), at: noon)
            _ = try await store.settle(
                verified, proving: [.sample()], claims: .exclusive, delivering: [], at: noon)
            for record in [pending, verified] {
                #expect(try await !store.abandon(record.id, pendingFor: 3600))
                #expect(try await store.abandon(record.id, pendingFor: 0) == (record.id == pending.id))
            }
            #expect(try await store.receiptCounts(in: daily).stores == [appStore: .init(verified: 1)])
        }
    }

    private func parts(of record: ReceiptRecord, _ store: any ReceiptLedger) async throws -> [Data] {
        let file = try #require(store as? SQLStateStore)
        return try await file.database.read { db in
            try db.allBytes("SELECT parts FROM receipt WHERE id = ?", [record.id.rawValue])
        }
    }

    @Test("Receipts are counted by store and status", arguments: TestedStore<any PurchaseLedger & StateRetention>.all)
    func counts(kind: TestedStore<any PurchaseLedger & StateRetention>) async throws {
        try await kind.with { store async throws in
            #expect(try await store.receiptCounts(in: daily) == ReceiptCounts())
            _ = try await store.persist(.sample("1"), at: noon + 5)
            _ = try await store.persist(.sample("2"), at: noon + 3)
            let third = try await store.persist(.sample("3"), at: noon)
            try await store.reject(third, ReceiptRejection(.forged), at: noon)
            let fourth = try await store.persist(.sample("4", store: play), at: noon)
            _ = try await store.settle(
                fourth, proving: [.sample(in: play)], claims: .exclusive, delivering: [], at: noon)
            _ = try await store.persist(.sample("5", in: weekly), at: noon)
            #expect(
                try await store.receiptCounts(in: daily)
                    == ReceiptCounts(
                        stores: [appStore: .init(pending: 2, rejected: 1), play: .init(verified: 1)],
                        pendingSince: noon + 3))
        }
    }

    @Test(
        "Rejected receipts are discarded after 90 days plus the margin, and no others",
        arguments: TestedStore<any PurchaseLedger & StateRetention>.all)
    func retention(kind: TestedStore<any PurchaseLedger & StateRetention>) async throws {
        let clock = ManualClock()
        try await kind.with(clock: clock.wall) { store async throws in
            let day: TimeInterval = 86_400
            let old = try await store.persist(.sample("old"), at: noon)
            try await store.reject(old, ReceiptRejection(.forged), at: noon)
            let young = try await store.persist(.sample("young"), at: noon)
            try await store.reject(young, ReceiptRejection(.forged), at: noon + 2 * day)
            _ = try await store.persist(.sample("pending"), at: noon)
            try await store.claim(.sample(), by: buyer(1), receipt: "proven")
            try await store.maintain(for: 121, clock)
            _ = try await store.persist(.sample("new"), at: clock.now)
            #expect(
                try await store.receiptCounts(in: daily).stores[appStore] == .init(pending: 2, verified: 1, rejected: 1)
            )
        }
    }
}
