import Foundation
import Gatefold
import TestSupport
import Testing

@Suite("Crediting an account", .serialized) struct CreditTests {
    private let credit = Credit(account: "4711")
    private let product = "com.example.credit10"

    private func deliveries(_ rig: DeskRig) async throws -> [Delivery] {
        try await rig.ledger.deliveries(in: daily, waiting: false, limit: 99).map(\.delivery)
    }

    @Test("is ordered once for each purchase of the product the app names, however often it is confirmed")
    func once() async throws {
        try await DeskRig.with { rig async throws in
            let bought = StoreTransaction.sample("1", product: product)
            rig.verifier.prove(bought, .sample("2", product: "com.example.credit50"))
            for _ in 0..<3 {
                _ = try await rig.confirm(product: product, credit: credit)
                rig.clock.advance(by: 7200)
            }
            #expect(try await deliveries(rig) == [Delivery(bought, to: credit, in: daily)])
        }
    }

    @Test("of another product than the app names is refused, and nothing is kept but that")
    func wrongProduct() async throws {
        try await DeskRig.with { rig async throws in
            rig.verifier.prove(.sample("1", product: "com.example.credit1"))
            #expect(
                try await rig.confirm(product: product, credit: credit) == .refused(ReceiptRefusal(.wrongProduct)))
            #expect(try await rig.confirm("bare", credit: credit) == .refused(ReceiptRefusal(.wrongProduct)))
            #expect(try await deliveries(rig).isEmpty)
            #expect(try await rig.desk.transactions(of: buyer(1)).isEmpty)
            #expect(try await rig.counts == .init(refused: 2))
        }
    }

    @Test("for what was taken back, or bought in the sandbox, is refused")
    func revoked() async throws {
        try await DeskRig.with { rig async throws in
            rig.verifier.prove(.sample("1", product: product, revoked: noon))
            #expect(try await rig.confirm(product: product, credit: credit) == .refused(ReceiptRefusal(.revoked)))
            rig.verifier.prove(.sample("2", product: product, environment: .sandbox))
            #expect(
                try await rig.confirm("sandbox", product: product, credit: credit)
                    == .refused(ReceiptRefusal(.wrongProduct)))
            #expect(try await deliveries(rig).isEmpty)
        }
    }

    @Test("Pitfall 18: is not delivered once a refused receipt shows that the purchase was taken back")
    func takenBack() async throws {
        let bought = StoreTransaction.sample("1", product: product)
        let refunded = StoreTransaction.sample("1", product: product, revoked: noon, told: noon + 1)
        let other = StoreTransaction.sample("2", product: "com.example.credit50")
        for (named, reason) in [(product, .revoked), ("com.example.none", .wrongProduct)]
            as [(String, ReceiptRefusal.Reason)]
        {
            try await DeskRig.with { rig async throws in
                rig.verifier.prove(bought)
                _ = try await rig.confirm(product: product, credit: credit)
                #expect(try await rig.ledger.deliveriesDue(in: daily, at: noon + 99, limit: 9).count == 1)
                rig.verifier.prove(refunded, other)
                #expect(
                    try await rig.confirm("later", product: named, credit: credit)
                        == .refused(ReceiptRefusal(reason)))
                #expect(try await rig.ledger.deliveriesDue(in: daily, at: noon + 99, limit: 9).isEmpty)
                #expect(try await rig.ledger.transactions(of: "2", in: appStore).isEmpty)
            }
        }
    }

    @Test("Pitfall 18: goes to the account that claims first, also when its store is asked later")
    func secondAccount() async throws {
        try await DeskRig.with(claims: .exclusive) { rig async throws in
            rig.verifier.breakDown()
            for (account, number) in [("4711", 1), ("4712", 2)] as [(String, UInt8)] {
                #expect(
                    try await rig.confirm(product: product, by: buyer(number), credit: Credit(account: account))
                        == .kept)
            }
            rig.verifier.prove(.sample("1", product: product))
            rig.clock.advance(by: 60)
            #expect(try await rig.desk.followUp() == 2)
            #expect(try await deliveries(rig).map(\.credit.account) == ["4711"])
            #expect(
                try await rig.confirm(product: product, by: buyer(2), credit: Credit(account: "4712"))
                    == .refused(ReceiptRefusal(.claimedByAnother)))
        }
    }
}
