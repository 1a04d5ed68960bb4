import Foundation
import GRDB
import Gatefold
import Testing

@testable import State

@Suite("Limits of receipts that prove nothing yet", .serialized) struct ReceiptLimitConformance {
    @Test("keep one owner's few, and its refused ones make room, the oldest first", arguments: FullStore.allCases)
    func owner(kind: FullStore) async throws {
        try await kind.with { store async throws in
            let limits = ReceiptLimits(ofOwner: 3)
            func keep(_ text: String, of owner: PurchaseOwner? = buyer(1), at moment: Date = noon) async throws
                -> ReceiptRecord
            {
                try await store.keep(.sample(text, of: owner), within: limits, at: moment)
            }
            for number in 1...2 {
                let record = try await keep("refused \(number)")
                try await store.refuse(record, ReceiptRefusal(.storeRefused), at: noon + Double(number))
            }
            _ = try await keep("waiting 1")
            for number in 2...3 {
                _ = try await keep("waiting \(number)")
                #expect(
                    try await store.standings(in: daily).stores[appStore]
                        == .init(waiting: number, refused: 3 - number))
            }
            await #expect(throws: ReceiptLimitReached.ofOwner) { try await keep("waiting 4") }
            // What is known already is no new one, and others have room of their own.
            let known = try await keep("waiting 3")
            #expect(known.standing == .waiting(attempts: 0))
            _ = try await keep("waiting 4", of: buyer(2))
            for number in 1...9 { _ = try await keep("nobody's \(number)", of: nil) }
            // What is proven makes room, too.
            _ = try await store.settle(
                known, proving: [.sample()], claims: .exclusive, delivering: [], at: noon)
            _ = try await keep("waiting 4")
        }
    }

    @Test("never take away a receipt that a claim refers to", arguments: FullStore.allCases)
    func claimed(kind: FullStore) async throws {
        try await kind.with { store async throws in
            let limits = ReceiptLimits(ofOwner: 1)
            try await store.claim(.month(), by: buyer(1), receipt: "claimed")
            let record = try await store.keep(.sample("claimed"), at: noon + 1)
            try await store.refuse(record, ReceiptRefusal(.storeRefused), at: noon + 1)
            await #expect(throws: ReceiptLimitReached.ofOwner) {
                try await store.keep(.sample("next"), within: limits, at: noon + 2)
            }
            let rechecks = try await store.rechecks(
                .ending(Period(start: noon, end: nil)), of: nil, in: [appStore], environments: [.production],
                lookedBefore: noon + 1, at: noon + 2, limit: 9)
            #expect(rechecks.first?.receipt == StoreReceipt([.receipt: "claimed"]))
        }
    }

    @Test("keep as many of a publication as come within an hour, whoever hands them in", arguments: FullStore.allCases)
    func hour(kind: FullStore) async throws {
        try await kind.with { store async throws in
            let limits = ReceiptLimits(ofOwner: 9, perHour: 3)
            func keep(_ number: UInt8, in publication: PublicationID = daily, at moment: Date) async throws {
                _ = try await store.keep(
                    .sample("\(number)", of: buyer(number), in: publication), within: limits, at: moment)
            }
            let refused = try await store.keep(.sample("0", of: buyer(99)), within: limits, at: noon)
            try await store.refuse(refused, ReceiptRefusal(.forged), at: noon)
            for number: UInt8 in 1...2 { try await keep(number, at: noon + Double(number)) }
            await #expect(throws: ReceiptLimitReached.perHour) { try await keep(3, at: noon + 3_599) }
            try await keep(3, in: weekly, at: noon + 3_599)
            try await keep(3, at: noon + 3_600)
            await #expect(throws: ReceiptLimitReached.perHour) { try await keep(4, at: noon + 3_600) }
            try await keep(1, at: noon + 3_600)
        }
    }

    @Test("let so many wait, and what waits no more makes room", arguments: FullStore.allCases)
    func waiting(kind: FullStore) async throws {
        try await kind.with { store async throws in
            let limits = ReceiptLimits(waiting: 2)
            func wait(_ number: UInt8, in publication: PublicationID = daily) async throws -> ReceiptRecord? {
                let record = try await store.keep(
                    .sample(of: buyer(number), in: publication), within: limits, at: noon)
                let waits = try await store.postpone(record.id, within: limits, at: noon, until: noon + 60)
                return waits ? record : nil
            }
            let first = try #require(try await wait(1))
            let second = try #require(try await wait(2))
            #expect(try await wait(3) == nil)
            #expect(try await wait(3, in: weekly) != nil)
            #expect(try await store.standings(in: daily).stores == [appStore: .init(waiting: 2)])
            // Those that wait already go on waiting, and a store that answers is asked about others all the same.
            #expect(try await store.postpone(first.id, within: limits, at: noon, until: noon + 120))
            let fourth = try await store.keep(.sample(of: buyer(4)), within: limits, at: noon)
            _ = try await store.settle(fourth, proving: [.sample()], claims: .exclusive, delivering: [], at: noon)
            try await store.refuse(first, ReceiptRefusal(.storeRefused), at: noon)
            #expect(try await wait(5) != nil)
            #expect(try await wait(6) == nil)
            _ = try await store.settle(
                second, proving: [.sample("2")], claims: .exclusive, delivering: [], at: noon)
            #expect(try await wait(6) != nil)
        }
    }

    @Test("do not keep out what its store has found genuine already", arguments: FullStore.allCases)
    func genuine(kind: FullStore) async throws {
        try await kind.with { store async throws in
            for number in 1...100 { _ = try await store.keep(.sample("waiting \(number)"), at: noon) }
            await #expect(throws: ReceiptLimitReached.ofOwner) { try await store.keep(.sample("new"), at: noon) }
            for number in 1...3 {
                #expect(
                    try await store.keep(
                        .sample("genuine \(number)"), proving: [.sample()], claims: .exclusive, at: noon) == .settled)
            }
            #expect(try await store.ids(of: buyer(1)) == ["1"])
            // One refused before is the same receipt still; another's is refused, and what is new not kept.
            let refused = try await store.keep(.sample(of: buyer(2)), at: noon)
            try await store.refuse(refused, ReceiptRefusal(.notFound), at: noon)
            for text in ["receipt", "new"] {
                #expect(
                    try await store.keep(
                        .sample(text, of: buyer(2)), proving: [.sample(revoked: noon, told: noon + 1)],
                        claims: .exclusive, at: noon + 1) == .claimedByAnother)
            }
            #expect(
                try await store.standings(in: daily).stores == [appStore: .init(waiting: 100, proven: 1, refused: 1)])
            #expect(
                try await store.keep(.sample(of: buyer(2)), at: noon).standing
                    == .refused(ReceiptRefusal(.claimedByAnother), at: noon + 1))
            #expect(try await store.transactions(of: "1", in: appStore).map(\.revoked) == [noon])
            #expect(
                try await store.keep(
                    .sample(of: buyer(2)), proving: [.sample("2")], claims: .exclusive, at: noon + 2) == .settled)
            #expect(
                try await store.standings(in: daily).stores == [appStore: .init(waiting: 100, proven: 2)])
        }
    }

    @Test("of a genuine receipt varied a thousand times leave one", arguments: FullStore.allCases)
    func varied(kind: FullStore) async throws {
        try await kind.with { store async throws in
            for number in 1...30 {
                try await store.claim(.sample(), by: buyer(1), receipt: "variant \(number)")
                // A renewal of another purchase keeps the receipt that proved it.
                if number == 1 { try await store.claim(.sample("2"), by: buyer(1), receipt: "of the second") }
            }
            #expect(try await store.standings(in: daily).stores == [appStore: .init(proven: 2)])
            #expect(try await store.ids(of: buyer(1)) == ["1", "2"])
            // Whose person has it already brings nothing that is needed.
            try await store.link(buyer(2), to: buyer(1))
            for number in 1...9 { try await store.claim(.sample(), by: buyer(2), receipt: "linked \(number)") }
            #expect(try await store.standings(in: daily).stores == [appStore: .init(proven: 3)])
            let file = try #require(store as? SQLiteStateStore)
            let sizes = try await file.pool.read { db in
                try Int.fetchAll(
                    db, sql: "SELECT length(parts) FROM receipt WHERE owner = ?", arguments: [Data(buyer(2).bytes)])
            }
            #expect(sizes == [0])
        }
    }
}
