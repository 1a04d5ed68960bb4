import Foundation
import Gatefold
import TestSupport
import Testing

@Suite("Confirming a purchase", .serialized) struct ConfirmationTests {
    @Test("keeps the receipt before its store is asked")
    func keepsFirst() async throws {
        try await DeskRig.with { rig async throws in
            let ledger = rig.ledger
            rig.verifier.verifyBy { _ in
                let counts = try await ledger.standings(in: daily)
                #expect(counts.stores[appStore] == .init(waiting: 1))
                return .genuine([.sample()])
            }
            #expect(try await rig.confirm() == .recorded([.sample()]))
            #expect(try await rig.counts == .init(proven: 1))
            #expect(try await rig.holdings() == Holdings(editions: [november]))
        }
    }

    @Test("Pitfall 18: a receipt that holds nothing but what was taken back is refused, and takes it back on record")
    func takenBack() async throws {
        try await DeskRig.with { rig async throws in
            rig.verifier.prove(.sample())
            #expect(try await rig.confirm() == .recorded([.sample()]))
            rig.clock.advance(by: 86_400)
            rig.verifier.prove(.sample(revoked: rig.clock.now, told: rig.clock.now))
            #expect(try await rig.confirm() == .refused(ReceiptRefusal(.revoked)))
            #expect(try await rig.holdings().isEmpty)
        }
    }

    @Test("while the store can not be asked keeps the receipt, and what it proves comes later")
    func outage() async throws {
        try await DeskRig.with { rig async throws in
            rig.verifier.breakDown()
            #expect(try await rig.confirm() == .kept)
            #expect(try await rig.holdings().isEmpty)
            rig.verifier.prove(.sample())
            #expect(try await rig.desk.followUp() == 0)
            rig.clock.advance(by: 60)
            #expect(try await rig.desk.followUp() == 1)
            #expect(try await rig.holdings() == Holdings(editions: [november]))
            #expect(try await rig.desk.followUp() == 0)
        }
    }

    @Test("waits twice as long after each failure, up to the longest wait")
    func backoff() async throws {
        let times = PurchaseTimes(shortestRetry: 60, longestRetry: 200)
        try await DeskRig.with(times: times) { rig async throws in
            rig.verifier.breakDown()
            #expect(try await rig.confirm() == .kept)
            for wait in [60.0, 120, 200, 200] {
                let asked = rig.verifier.questions.count
                rig.clock.advance(by: wait - 1)
                _ = try await rig.desk.followUp()
                #expect(rig.verifier.questions.count == asked)
                rig.clock.advance(by: 1)
                // Asked, and nothing came of it.
                #expect(try await rig.desk.followUp() == 0)
                #expect(rig.verifier.questions.count == asked + 1)
            }
        }
    }

    @Test("Pitfall 9: what was refused or proven stays so while the store can not be asked")
    func verdictsOutlastOutages() async throws {
        try await DeskRig.with { rig async throws in
            rig.verifier.refuse(.forged)
            #expect(try await rig.confirm("forged") == .refused(ReceiptRefusal(.forged)))
            rig.verifier.prove(.sample())
            #expect(try await rig.confirm("genuine") == .recorded([.sample()]))
            rig.verifier.breakDown()
            rig.clock.advance(by: 86_400)
            #expect(try await rig.confirm("forged") == .refused(ReceiptRefusal(.forged)))
            #expect(try await rig.confirm("genuine") == .recorded([]))
            #expect(try await rig.counts == .init(proven: 1, refused: 1))
        }
    }

    @Test("again does not ask the store within the hour, and is the same purchase after it")
    func again() async throws {
        try await DeskRig.with { rig async throws in
            rig.verifier.prove(.sample())
            _ = try await rig.confirm()
            #expect(try await rig.confirm() == .recorded([]))
            #expect(rig.verifier.questions == ["verify"])
            rig.clock.advance(by: 3600)
            #expect(try await rig.confirm() == .recorded([.sample()]))
            #expect(rig.verifier.questions == ["verify", "verify"])
            #expect(try await rig.desk.transactions(of: buyer(1)) == [.sample()])
        }
    }

    @Test("again claims anew what somebody had only by a link that has ended within the hour")
    func leaving() async throws {
        for isErased in [false, true] {
            try await DeskRig.with { rig async throws in
                rig.verifier.prove(.sample())
                _ = try await rig.confirm(by: buyer(2))
                try await rig.ledger.link(buyer(1), to: buyer(2))
                for _ in 0..<2 { _ = try await rig.confirm("own") }
                #expect(rig.verifier.questions.count == 2)
                if isErased {
                    _ = try await rig.ledger.erase(buyer(2))
                } else {
                    #expect(try await rig.desk.unlink(buyer(1)))
                }
                #expect(try await rig.holdings().isEmpty)
                #expect(try await rig.confirm("own") == .recorded([.sample()]))
                #expect(try await rig.holdings() == Holdings(editions: [november]))
            }
        }
    }

    @Test("that as many persons have as may takes back on record what its store took back")
    func claimedAndTakenBack() async throws {
        try await DeskRig.with(claims: .exclusive) { rig async throws in
            rig.verifier.prove(.sample())
            _ = try await rig.confirm()
            let other = StoreTransaction.sample("2", product: "com.example.october", purchased: noon - 31 * 86_400)
            rig.verifier.prove(other, .sample(revoked: noon, told: noon + 1))
            #expect(try await rig.confirm(by: buyer(2)) == .refused(ReceiptRefusal(.claimedByAnother)))
            #expect(try await rig.holdings().isEmpty)
            #expect(try await rig.ledger.transactions(of: "2", in: appStore).isEmpty)
        }
    }

    @Test("in a store that the publication does not sell in is refused and not kept")
    func noStore() async throws {
        try await DeskRig.with { rig async throws in
            let receipt = StoreReceipt([.receipt: "receipt"])
            let elsewhere = try await rig.desk.confirm(receipt, from: .google, owner: buyer(1))
            #expect(elsewhere == .refused(ReceiptRefusal(.noStore)))
            #expect(
                try await rig.desk.confirm(receipt, from: .apple, app: "com.example.other", owner: buyer(1))
                    == .refused(ReceiptRefusal(.noStore)))
            #expect(try await rig.counts == nil)
            #expect(rig.verifier.questions.isEmpty)
        }
    }

    @Test("counts no sandbox purchase, however it came, unless the publication allows it")
    func sandbox() async throws {
        let transaction = StoreTransaction.sample(environment: .sandbox)
        for environments: Set<StoreEnvironment> in [[.production], [.production, .sandbox]] {
            try await DeskRig.with(environments: environments) { rig async throws in
                rig.verifier.prove(transaction)
                _ = try await rig.confirm()
                #expect(try await rig.holdings().isEmpty == !environments.contains(.sandbox))
            }
        }
    }

    @Test("Pitfall 18: of a receipt that as many persons have as may is refused")
    func claimed() async throws {
        try await DeskRig.with { rig async throws in
            rig.verifier.prove(.sample())
            for number: UInt8 in 1...2 {
                #expect(try await rig.confirm(by: buyer(number)) == .recorded([.sample()]))
            }
            #expect(try await rig.confirm(by: buyer(3)) == .refused(ReceiptRefusal(.claimedByAnother)))
            #expect(try await rig.holdings(buyer(3)).isEmpty)
            // The front door's own rule can be stricter.
            #expect(
                try await rig.confirm("other", by: buyer(4), claims: .exclusive)
                    == .refused(ReceiptRefusal(.claimedByAnother)))
            rig.verifier.breakDown()
            #expect(try await rig.confirm(by: buyer(3)) == .refused(ReceiptRefusal(.claimedByAnother)))
        }
    }

    @Test("that proves nothing a store would sell is refused")
    func senseless() async throws {
        try await DeskRig.with { rig async throws in
            rig.verifier.verifyBy { _ in .genuine([]) }
            #expect(try await rig.confirm() == .refused(ReceiptRefusal(.empty)))
            rig.verifier.prove(.sample("1\u{0}2"), .sample("", of: "1"), .sample(String(repeating: "9", count: 513)))
            #expect(try await rig.confirm() == .refused(ReceiptRefusal(.malformed)))
            rig.verifier.prove(.sample("1\u{0}2"), .sample())
            #expect(try await rig.confirm() == .recorded([.sample()]))
        }
    }

    @Test("for a product that the receipt does not prove is refused, and nothing of it recorded")
    func otherProduct() async throws {
        try await DeskRig.with { rig async throws in
            rig.verifier.prove(.sample("1", product: "43929_1_spring"), .sample("2", product: "200_1", revoked: noon))
            for product in ["43929_2", "43929", "43929_1_", "43929_1_spr", "200", "com.example.november"] {
                #expect(
                    try await rig.confirm(product: product) == .refused(ReceiptRefusal(.wrongProduct)), "\(product)")
            }
            #expect(try await rig.confirm(product: "200_1") == .refused(ReceiptRefusal(.revoked)))
            #expect(try await rig.ledger.transactions(of: "1", in: appStore).isEmpty)
            rig.verifier.breakDown()
            #expect(try await rig.confirm(product: "43929_2") == .refused(ReceiptRefusal(.wrongProduct)))
            rig.verifier.prove(.sample("1", product: "43929_1_spring"))
            for product in ["43929_1", "43929_1_spring"] {
                guard case .recorded = try await rig.confirm(product: product) else {
                    Issue.record("not recorded as \(product)")
                    return
                }
            }
            #expect(try await rig.ledger.transactions(of: "1", in: appStore).map(\.product) == ["43929_1_spring"])
        }
    }

    @Test("fails when the ledger can not keep it, and then asks no store")
    func ledgerDown() async throws {
        try await DeskRig.with(isDown: true) { rig async throws in
            await #expect(throws: Unavailable.self) { try await rig.confirm() }
            await #expect(throws: Unavailable.self) { try await rig.holdings() }
            #expect(rig.verifier.questions.isEmpty)
        }
    }

    @Test("a hundred times at once counts once")
    func parallel() async throws {
        try await DeskRig.with { rig async throws in
            rig.verifier.prove(.sample())
            try await withThrowingTaskGroup(of: Gatefold.Confirmation.self) { group in
                for _ in 0..<100 { group.addTask { try await rig.confirm() } }
                for try await answer in group {
                    #expect(answer == .recorded([.sample()]) || answer == .recorded([]))
                }
            }
            #expect(try await rig.counts == .init(proven: 1))
            #expect(try await rig.desk.transactions(of: buyer(1)) == [.sample()])
        }
    }
}
