import Foundation
import Gatefold
import StoreBenches
import TestSupport
import Testing

@testable import Receipts

@Suite("A receipt of iOS 6")
struct TransactionReceiptTests {
    @Test("says of what it is, unverified")
    func good() throws {
        let receipt = try #require(TransactionReceipt(TestTransactionReceipt(environment: "Sandbox").bytes))
        #expect(receipt.bundle == "com.example.daily" && receipt.product == "com.example.daily.issue1")
        #expect(receipt.transaction == "1000000012345678" && receipt.original == receipt.transaction)
        #expect(receipt.environment == "Sandbox")
        #expect(TransactionReceipt(TestTransactionReceipt().bytes)?.environment == nil)
    }

    @Test(
        "is nothing without its parts",
        arguments: [
            "{}", "{signature=a;}", "{\"purchase-info\"=\"e30=\";}", "{signature=a; \"purchase-info\"=\"e30=\";}",
            "{signature=a; \"purchase-info\"=\"!\";}", "(a)", "<?xml version=\"1.0\"?><plist/>",
        ])
    func bad(_ text: String) {
        #expect(TransactionReceipt(Array(text.utf8)) == nil)
    }
}

@Suite("The form of a receipt at Apple")
struct AppleReceiptFormTests {
    private func name(_ text: String) -> String {
        switch AppleReceiptForm(text) {
        case .signed: "signed"
        case .identifier: "identifier"
        case .unified: "unified"
        case .transaction: "transaction"
        case nil: "none"
        }
    }

    @Test("is told by its letters alone")
    func forms() async throws {
        #expect(name("2000000123456789") == "identifier")
        #expect(name("123456789012345678901") == "none")
        #expect(name("eyJh.eyJ0_-.c2ln") == "signed")
        #expect(name(" eyJh.eyJ0.c2ln\n") == "signed")
        for text in ["", " ", "a.b", "a.b.c.d", "a..c", "a.b+.c", "%%%", "AAAA", "MIAG", "e30=", "héllo"] {
            #expect(name(text) == "none", "\(text)")
        }
        #expect(name(TestTransactionReceipt().receipt[.receipt] ?? "") == "transaction")
        let unified = try await ReceiptAuthority.shared.value.receipt()
        #expect(name(unified[.receipt] ?? "") == "unified")
    }

    @Test("of any text is one or none")
    func fuzz() async {
        var random = SeededRandom(seed: 9)
        let good = Array((TestTransactionReceipt().receipt[.receipt] ?? "").utf8)
        for round in 0..<8_000 {
            // Others of this process have something to do, too.
            if round.isMultiple(of: 20) { await Task.yield() }
            var bytes = random.hostileBytes(upTo: 60, spice: "MIAGeyJ0.123 +/-_=\n")
            // A whole receipt is read twice, in its base64 and within.
            if round.isMultiple(of: 20) {
                bytes = good
                bytes[Int.random(in: 0..<bytes.count, using: &random)] = UInt8.random(in: 0...127, using: &random)
            }
            _ = name(String(decoding: bytes, as: UTF8.self))
        }
    }
}
