import Commerce
import Foundation
import TestSupport
import Testing

@Suite("Encoding of store receipts") struct StoreReceiptTests {
    @Test("Any parts are decoded as they were encoded")
    func roundTrip() {
        var random = SeededRandom(seed: 8)
        for _ in 0..<10_000 {
            var parts: [StoreReceipt.Part: String] = [:]
            for part in StoreReceipt.Part.allCases where Bool.random(using: &random) {
                parts[part] = String(
                    decoding: random.hostileBytes(upTo: 20, specialCharacters: "é\u{0}receipt"), as: UTF8.self)
            }
            let receipt = StoreReceipt(parts)
            #expect(StoreReceipt(encoded: receipt.encoded) == receipt)
        }
    }

    @Test("Any bytes are decoded or rejected")
    func total() {
        var random = SeededRandom(seed: 9)
        let good = StoreReceipt([.receipt: "receipt", .signature: "AA==", .user: "é"]).encoded
        var read = 0
        for round in 0..<10_000 {
            var bytes =
                round.isMultiple(of: 2)
                ? good : random.hostileBytes(upTo: 40, specialCharacters: "\u{0}\u{0}\u{7}receipt")
            if !bytes.isEmpty {
                bytes[Int.random(in: 0..<bytes.count, using: &random)] = UInt8.random(in: .min ... .max, using: &random)
            }
            if StoreReceipt(encoded: bytes) != nil { read += 1 }
        }
        #expect(read > 100)
    }
}
