import Commerce
import Foundation
import StoreFixtures
import TestSupport
import Testing

@testable import Receipts

@Suite("Receipt format of iOS 6")
struct TransactionReceiptTests {
    @Test("Reads the receipt's fields without verification")
    func good() throws {
        let receipt = try #require(TransactionReceipt(TestTransactionReceipt(environment: "Sandbox").bytes))
        #expect(receipt.bundle == "com.example.daily" && receipt.product == "com.example.daily.issue1")
        #expect(receipt.transaction == "1000000012345678" && receipt.original == receipt.transaction)
        #expect(receipt.environment == "Sandbox")
        #expect(TransactionReceipt(TestTransactionReceipt().bytes)?.environment == nil)
    }

    @Test(
        "Rejects a receipt with missing parts",
        arguments: [
            "{}", "{signature=a;}", "{\"purchase-info\"=\"e30=\";}", "{signature=a; \"purchase-info\"=\"e30=\";}",
            "{signature=a; \"purchase-info\"=\"!\";}", "(a)", "<?xml version=\"1.0\"?><plist/>",
        ])
    func bad(_ text: String) {
        #expect(TransactionReceipt(Array(text.utf8)) == nil)
    }
}

@Suite("Detection of Apple receipt formats")
struct AppleReceiptFormatTests {
    private func name(_ text: String) -> String {
        switch AppleReceiptFormat(text) {
        case .signed: "signed"
        case .identifier: "identifier"
        case .unified: "unified"
        case .transaction: "transaction"
        case nil: "none"
        }
    }

    @Test("Detects the format by its characters alone")
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

    @Test("Detects at most one format in any text")
    func fuzz() async {
        var random = SeededRandom(seed: 9)
        let good = Array((TestTransactionReceipt().receipt[.receipt] ?? "").utf8)
        for round in 0..<8_000 {
            // Yields to the other tests of this process.
            if round.isMultiple(of: 20) { await Task.yield() }
            var bytes = random.hostileBytes(upTo: 60, specialCharacters: "MIAGeyJ0.123 +/-_=\n")
            // A whole receipt is parsed twice: its base64 and its content.
            if round.isMultiple(of: 20) {
                bytes = good
                bytes[Int.random(in: 0..<bytes.count, using: &random)] = UInt8.random(in: 0...127, using: &random)
            }
            _ = name(String(decoding: bytes, as: UTF8.self))
        }
    }
}
