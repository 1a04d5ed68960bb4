import Foundation
import GRDB
import Gatefold
import TestSupport
import Testing

@testable import State

@Suite("A ledger's receipts", .serialized) struct ReceiptConformance {
    @Test("are kept once per publication, store, owner and content", arguments: FullStore.allCases)
    func once(kind: FullStore) async throws {
        try await kind.with { store async throws in
            let first = try await store.keep(.sample(), at: noon)
            #expect(first.standing == .waiting(attempts: 0))
            #expect(first.received == noon)
            #expect(first.incoming == .sample())
            #expect(try await store.keep(.sample(), at: noon + 60) == first)
            var others: Set<ReceiptRecord.ID> = [first.id]
            for other in [
                IncomingReceipt.sample("other"), .sample(of: buyer(2)), .sample(of: nil), .sample(in: weekly),
                .sample(store: play),
            ] {
                let record = try await store.keep(other, at: noon)
                #expect(record.incoming == other)
                #expect(others.insert(record.id).inserted)
                #expect(try await store.keep(other, at: noon).id == record.id)
            }
        }
    }

    @Test("keep every part and whom to credit, unless a text could become another one", arguments: FullStore.allCases)
    func whole(kind: FullStore) async throws {
        try await kind.with { store async throws in
            let parts = Dictionary(
                uniqueKeysWithValues: StoreReceipt.Part.allCases.map { ($0, "\($0) \0 + & ü \u{1F4F0}") })
            let receipt = IncomingReceipt(
                publication: daily, store: appStore, owner: buyer(1), receipt: StoreReceipt(parts),
                credit: Credit(account: "+49 30 1", price: "1,99 €", currency: "EUR"))
            let id = try await store.keep(receipt, at: noon).id
            let kept = try #require(try await store.receiptsDue(in: daily, at: noon + 60, limit: 9).first)
            #expect(kept.id == id)
            #expect(kept.incoming == receipt)
            await #expect(throws: (any Error).self) {
                try await store.keep(.sample(credit: Credit(account: "1\u{0}2")), at: noon)
            }
            #expect(try await store.receiptsDue(in: daily, at: noon + 60, limit: 9).count == 1)
        }
    }

    @Test("wait until they are due, the longest due first, and count the attempts", arguments: FullStore.allCases)
    func waiting(kind: FullStore) async throws {
        try await kind.with { store async throws in
            let first = try await store.keep(.sample("1"), at: noon)
            let second = try await store.keep(.sample("2"), at: noon + 1)
            _ = try await store.keep(.sample("3", in: weekly), at: noon)
            // Whoever handed one in has a minute to see it through.
            #expect(try await store.receiptsDue(in: daily, at: noon + 59, limit: 9).isEmpty)
            #expect(try await store.receiptsDue(in: daily, at: noon + 61, limit: 9).map(\.id) == [first.id, second.id])
            #expect(try await store.receiptsDue(in: daily, at: noon + 60, limit: 9).map(\.id) == [first.id])
            #expect(try await store.receiptsDue(in: daily, at: noon + 61, limit: 1).map(\.id) == [first.id])
            try await store.postpone(first.id, at: noon, until: noon + 120)
            #expect(try await store.receiptsDue(in: daily, at: noon + 119, limit: 9).map(\.id) == [second.id])
            let due = try await store.receiptsDue(in: daily, at: noon + 120, limit: 9)
            #expect(due.map(\.id) == [second.id, first.id])
            #expect(due.last?.standing == .waiting(attempts: 1))
            #expect(due.last?.received == noon)
        }
    }

    @Test("stay what they were proven or refused to be, also after an outage", arguments: FullStore.allCases)
    func settled(kind: FullStore) async throws {
        try await kind.with { store async throws in
            let refusal = ReceiptRefusal(.storeRefused, code: 21_003)
            let refused = try await store.keep(.sample("refused"), at: noon)
            try await store.refuse(refused, refusal, at: noon + 1)
            let proven = try await store.keep(.sample("proven"), at: noon)
            _ = try await store.settle(
                proven, proving: [.sample()], claims: .exclusive, delivering: [], at: noon + 2)
            for id in [refused.id, proven.id] { try await store.postpone(id, at: noon, until: noon + 60) }
            #expect(try await store.keep(.sample("refused"), at: noon).standing == .refused(refusal, at: noon + 1))
            #expect(try await store.keep(.sample("proven"), at: noon).standing == .proven(at: noon + 2))
            #expect(try await store.receiptsDue(in: daily, at: noon + 999, limit: 9).isEmpty)
        }
    }

    @Test("can become genuine after a refusal, and the reverse", arguments: FullStore.allCases)
    func changing(kind: FullStore) async throws {
        try await kind.with { store async throws in
            let record = try await store.keep(.sample(), at: noon)
            for reason in ReceiptRefusal.Reason.allCases {
                try await store.refuse(record, ReceiptRefusal(reason), at: noon + 1)
                #expect(
                    try await store.keep(.sample(), at: noon).standing == .refused(ReceiptRefusal(reason), at: noon + 1)
                )
            }
            _ = try await store.settle(
                record, proving: [.sample()], claims: .exclusive, delivering: [], at: noon + 2)
            #expect(try await store.keep(.sample(), at: noon).standing == .proven(at: noon + 2))
        }
    }

    @Test("that are refused are forgotten but for their digest", arguments: FullStore.allCases)
    func forgotten(kind: FullStore) async throws {
        try await kind.with { store async throws in
            for reason in ReceiptRefusal.Reason.allCases {
                let text = "rubbish that is \(reason.rawValue)"
                let record = try await store.keep(.sample(text), at: noon)
                try await store.refuse(record, ReceiptRefusal(reason), at: noon + 1)
                #expect(try await parts(of: record, store) == [Data()])
                // Handed in again it is the same, and stays without its content should the store be down.
                let again = try await store.keep(.sample(text), at: noon + 2)
                #expect(again.id == record.id && again.incoming == .sample(text))
                #expect(try await store.postpone(again.id, at: noon, until: noon + 60))
                #expect(try await parts(of: record, store) == [Data()])
                // Genuine after all, it is whole again for whoever claims by it.
                _ = try await store.settle(
                    again, proving: [.sample(text)], claims: .exclusive, delivering: [], at: noon + 3)
                #expect(try await parts(of: record, store) == [Data(StoreReceipt([.receipt: text]).encoded)])
            }
        }
    }

    @Test("keep their content where a claim needs it for the next look", arguments: FullStore.allCases)
    func needed(kind: FullStore) async throws {
        try await kind.with { store async throws in
            try await store.claim(.month(), by: buyer(1), receipt: "claimed")
            let record = try await store.keep(.sample("claimed"), at: noon + 1)
            try await store.refuse(record, ReceiptRefusal(.storeRefused), at: noon + 1)
            #expect(try await !parts(of: record, store).contains(Data()))
            // Ninety days later, too.
            _ = try await store.keep(.sample("other"), at: noon + 100 * 86_400)
            #expect(try await parts(of: record, store).count == 1)
        }
    }

    @Test("that were proven since somebody read them are refused by nobody who did", arguments: FullStore.allCases)
    func overtaken(kind: FullStore) async throws {
        try await kind.with { store async throws in
            let read = try await store.keep(.sample(), at: noon)
            try await store.claim(.sample(), by: buyer(1), at: noon + 0.5)
            try await store.refuse(read, ReceiptRefusal(.notFound), at: noon + 2)
            let proven = try await store.keep(.sample(), at: noon + 3)
            #expect(proven.standing == .proven(at: noon + 0.5))
            try await store.refuse(proven, ReceiptRefusal(.notFound), at: noon + 4)
            let refused = try await store.keep(.sample(), at: noon + 5)
            #expect(refused.standing == .refused(ReceiptRefusal(.notFound), at: noon + 4))
        }
    }

    @Test("are forgotten on demand while they wait, and then only", arguments: FullStore.allCases)
    func givenUp(kind: FullStore) async throws {
        try await kind.with { store async throws in
            let waiting = try await store.keep(.sample("waiting"), at: noon)
            let proven = try await store.keep(.sample("proven"), at: noon)
            _ = try await store.settle(
                proven, proving: [.sample()], claims: .exclusive, delivering: [], at: noon)
            for record in [waiting, proven] {
                #expect(try await !store.giveUp(record.id, afterWaiting: 3600))
                #expect(try await store.giveUp(record.id, afterWaiting: 0) == (record.id == waiting.id))
            }
            #expect(try await store.standings(in: daily).stores == [appStore: .init(proven: 1)])
        }
    }

    private func parts(of record: ReceiptRecord, _ store: any StateStore) async throws -> [Data] {
        let file = try #require(store as? SQLiteStateStore)
        return try await file.pool.read { db in
            try Data.fetchAll(db, sql: "SELECT parts FROM receipt WHERE id = ?", arguments: [record.id.rawValue])
        }
    }

    @Test("are counted by store and standing", arguments: FullStore.allCases)
    func counts(kind: FullStore) async throws {
        try await kind.with { store async throws in
            #expect(try await store.standings(in: daily) == ReceiptCounts())
            _ = try await store.keep(.sample("1"), at: noon + 5)
            _ = try await store.keep(.sample("2"), at: noon + 3)
            let third = try await store.keep(.sample("3"), at: noon)
            try await store.refuse(third, ReceiptRefusal(.forged), at: noon)
            let fourth = try await store.keep(.sample("4", store: play), at: noon)
            _ = try await store.settle(
                fourth, proving: [.sample(in: play)], claims: .exclusive, delivering: [], at: noon)
            _ = try await store.keep(.sample("5", in: weekly), at: noon)
            #expect(
                try await store.standings(in: daily)
                    == ReceiptCounts(
                        stores: [appStore: .init(waiting: 2, refused: 1), play: .init(proven: 1)],
                        waitingSince: noon + 3))
        }
    }

    @Test("that were refused 90 days and the margin ago are forgotten, and no others", arguments: FullStore.allCases)
    func retention(kind: FullStore) async throws {
        let clock = ManualClock()
        try await kind.with(clock: clock.wall) { store async throws in
            let day: TimeInterval = 86_400
            let old = try await store.keep(.sample("old"), at: noon)
            try await store.refuse(old, ReceiptRefusal(.forged), at: noon)
            let young = try await store.keep(.sample("young"), at: noon)
            try await store.refuse(young, ReceiptRefusal(.forged), at: noon + 2 * day)
            _ = try await store.keep(.sample("waiting"), at: noon)
            try await store.claim(.sample(), by: buyer(1), receipt: "proven")
            try await store.maintain(for: 121, clock)
            _ = try await store.keep(.sample("new"), at: clock.now)
            #expect(
                try await store.standings(in: daily).stores[appStore] == .init(waiting: 2, proven: 1, refused: 1))
        }
    }
}
