import Foundation
import Gatefold
import State
import TestSupport
import Testing

@Suite("What became of purchases is told", .serialized) struct ChangesToldTests {
    /// A desk whose changes are kept, each with what was on record when it was told.
    private struct Rig: Sendable {
        let store: any StateStore
        let verifier = ScriptedVerifier()
        let clock = ManualClock(noon)
        let told = Kept<[PurchaseChange]>([])
        let desk: PurchaseDesk

        init(_ store: any StateStore) {
            self.store = store
            let told = told
            desk = PurchaseDesk(
                publication: daily, products: ProductRules(subscriptions: [DeskRig.month]),
                claims: ClaimRule(mostPersons: 1), times: PurchaseTimes(patience: 60), verifiers: [verifier],
                ledger: store, clock: clock.wall, didChange: { change in told.withLock { $0.append(change) } })
        }

        func confirm(_ text: String = "receipt", product: String? = nil, by owner: PurchaseOwner = buyer(1))
            async throws
        {
            var parts: [StoreReceipt.Part: String] = [.receipt: text]
            parts[.product] = product
            _ = try await desk.confirm(StoreReceipt(parts), from: .apple, owner: owner)
        }

        func take() -> [PurchaseChange] {
            told.withLock { told in
                defer { told = [] }
                return told
            }
        }
    }

    private func with(_ test: (Rig) async throws -> Void) async throws {
        try await FullStore.sqlite.with { try await test(Rig($0)) }
    }

    @Test("that a receipt proved something, once, and of it what counts and was not taken back")
    func proven() async throws {
        try await with { rig async throws in
            let bought = StoreTransaction.sample("1")
            let refunded = StoreTransaction.sample("2", revoked: noon)
            let sandbox = StoreTransaction.sample("3", environment: .sandbox)
            rig.verifier.prove(bought, refunded, sandbox)
            try await rig.confirm()
            #expect(rig.take() == [.proven(by: buyer(1), [bought])])
            try await rig.confirm()
            #expect(rig.take() == [])
            rig.verifier.prove(.sample("4", environment: .sandbox))
            try await rig.confirm("another", by: buyer(2))
            #expect(rig.take() == [])
        }
    }

    @Test("that a receipt proved nothing, with the product that the app named")
    func refused() async throws {
        try await with { rig async throws in
            rig.verifier.refuse(.wrongApp)
            try await rig.confirm(product: "com.example.november")
            #expect(
                rig.take() == [
                    .refused(to: buyer(1), product: "com.example.november", ReceiptRefusal(.wrongApp))
                ])
            // No receipt at all: nothing is kept of it, and it is told all the same.
            try await rig.confirm("")
            #expect(rig.take() == [.refused(to: buyer(1), product: nil, ReceiptRefusal(.malformed))])
            rig.verifier.prove(.sample("1"))
            try await rig.confirm("a", by: buyer(2))
            _ = rig.take()
            try await rig.confirm("b", by: buyer(3))
            #expect(rig.take() == [.refused(to: buyer(3), product: nil, ReceiptRefusal(.claimedByAnother))])
        }
    }

    @Test("not as long as the store can not be asked, and then by whoever follows it up")
    func later() async throws {
        try await with { rig async throws in
            rig.verifier.breakDown()
            try await rig.confirm()
            #expect(rig.take() == [])
            rig.verifier.prove(.sample("1"))
            rig.clock.advance(by: 86_400)
            _ = try await rig.desk.followUp()
            #expect(rig.take() == [.proven(by: buyer(1), [.sample("1")])])
            _ = try await rig.desk.followUp()
            #expect(rig.take() == [])
        }
    }

    @Test("that a store took something back, by its message, once for each")
    func messages() async throws {
        try await with { rig async throws in
            rig.verifier.prove(.sample("1"))
            try await rig.confirm()
            _ = rig.take()
            let back = StoreTransaction.sample("1", revoked: noon + 5, told: noon + 5)
            rig.verifier.notifyBy { _ in
                .event(
                    StoreEvent(store: appStore, id: "e", name: "REFUND", signed: noon + 5, transactions: [back]))
            }
            for _ in 0..<3 { _ = try await rig.desk.receive(notification: [1], of: appStore) }
            #expect(rig.take() == [.takenBack([back])])
            // Asking says nothing new.
            rig.verifier.currentBy { _ in [back] }
            rig.clock.advance(by: 30 * 86_400)
            _ = try await rig.desk.followUp()
            #expect(rig.take() == [])
        }
    }

    @Test("that a store took something back, when it is found out by asking, also of a renewal long ago")
    func asking() async throws {
        try await with { rig async throws in
            let old = StoreTransaction.month("m", days: 30)
            let renewed = StoreTransaction.month("m2", from: noon + 30 * 86_400, days: 30)
            rig.clock.set(noon + 31 * 86_400)
            rig.verifier.prove(old, renewed)
            try await rig.confirm()
            #expect(rig.take() == [.proven(by: buyer(1), [old, renewed])])
            let back = StoreTransaction.month("m", days: 30, revoked: noon + 9, told: noon + 40 * 86_400)
            rig.clock.set(noon + 61 * 86_400)
            rig.verifier.currentBy { _ in [back, renewed] }
            _ = try await rig.desk.holdings(of: buyer(1), in: DeskRig.catalogue)
            #expect(rig.take() == [.takenBack([back])])
            rig.clock.advance(by: 30 * 86_400)
            _ = try await rig.desk.followUp()
            #expect(rig.take() == [])
        }
    }

    @Test("that a store took something back, when a receipt says so, whoever hands it in")
    func receipts() async throws {
        try await with { rig async throws in
            rig.verifier.prove(.sample("1"))
            try await rig.confirm()
            _ = rig.take()
            let back = StoreTransaction.sample("1", revoked: noon + 5, told: noon + 5)
            rig.verifier.prove(back)
            try await rig.confirm("again", by: buyer(2))
            #expect(
                rig.take() == [
                    .takenBack([back]), .refused(to: buyer(2), product: nil, ReceiptRefusal(.revoked)),
                ])
            try await rig.confirm("once more", by: buyer(3))
            #expect(rig.take() == [.refused(to: buyer(3), product: nil, ReceiptRefusal(.revoked))])
        }
    }

    @Test("that a store took something back, also when whoever asked has lost patience by then")
    func impatient() async throws {
        try await with { rig async throws in
            let old = StoreTransaction.month("m", days: 30)
            rig.clock.set(noon + 1)
            rig.verifier.prove(old)
            try await rig.confirm()
            _ = rig.take()
            let back = StoreTransaction.month("m", days: 30, revoked: noon + 9, told: noon + 31 * 86_400)
            rig.clock.set(noon + 31 * 86_400)
            rig.verifier.currentBy { _ in
                withUnsafeCurrentTask { $0?.cancel() }
                return [back]
            }
            _ = try await rig.desk.holdings(of: buyer(1), in: DeskRig.catalogue)
            #expect(rig.take() == [.takenBack([back])])
        }
    }

    @Test("that a store took something back, also when what comes after that fails")
    func halfway() async throws {
        try await with { rig async throws in
            rig.verifier.prove(.sample("1"), .sample("2"))
            try await rig.confirm()
            _ = rig.take()
            rig.clock.advance(by: 3601)
            // The receipt is refused, and the store breaks down between its two purchases.
            let back = StoreTransaction.sample("1").takenBack(at: rig.clock.now)
            rig.verifier.refuse(.expired)
            rig.verifier.currentBy { purchase in
                guard purchase.id == "1" else { throw ScriptedVerifier.BrokenDown() }
                return [back]
            }
            try await rig.confirm()
            #expect(rig.take().contains(.takenBack([back])))
        }
        try await with { rig async throws in
            let old = StoreTransaction.month("m", days: 30)
            rig.verifier.prove(old)
            try await rig.confirm()
            _ = rig.take()
            rig.clock.advance(by: 31 * 86_400)
            let back = StoreTransaction.month("m", days: 30, revoked: noon + 9, told: rig.clock.now)
            rig.verifier.currentBy { _ in [back] }
            // The disk is full when the word is on record.
            let desk = PurchaseDesk(
                publication: daily, products: ProductRules(subscriptions: []), verifiers: [rig.verifier],
                ledger: BrokenLedger(full: rig.store, notes: true), clock: rig.clock.wall,
                didChange: { change in rig.told.withLock { $0.append(change) } })
            _ = try? await desk.holdings(of: buyer(1), in: DeskRig.catalogue)
            #expect(rig.take() == [.takenBack([back])])
        }
    }

    @Test("only after it is on record: what can not be kept is not told")
    func order() async throws {
        try await with { rig async throws in
            let desk = PurchaseDesk(
                publication: daily, products: ProductRules(subscriptions: []), verifiers: [rig.verifier],
                ledger: BrokenLedger(full: rig.store), clock: rig.clock.wall,
                didChange: { change in rig.told.withLock { $0.append(change) } })
            rig.verifier.prove(.sample("1"))
            let receipt = StoreReceipt([.receipt: "receipt"])
            await #expect(throws: Unavailable.self) {
                try await desk.confirm(receipt, from: .apple, owner: buyer(1))
            }
            rig.verifier.notifyBy { _ in
                .event(
                    StoreEvent(
                        store: appStore, id: "e", name: "REFUND", signed: noon,
                        transactions: [.sample("1", revoked: noon)]))
            }
            await #expect(throws: Unavailable.self) { try await desk.receive(notification: [1], of: appStore) }
            #expect(rig.take() == [])
        }
    }
}
