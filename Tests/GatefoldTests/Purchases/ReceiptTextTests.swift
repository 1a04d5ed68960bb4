import Commerce
import Foundation
import TestSupport
import Testing

@Suite("Receipt text") struct ReceiptTextTests {
    @Test(
        "An Apple receipt is normalised to one spelling after any damage in transit",
        arguments: [
            ("MII a/b+cd=", "MII+a/b+cd=="), ("MII a/bc", "MII+a/bc"), ("MI\r\n\tIB\n", "MIIB"), ("-_-_", "+/+/"),
            ("MIIBAA==", "MIIBAA=="), ("MIIBAA", "MIIBAA=="), ("MIIBA", nil), ("", nil), ("2000000123456789", nil),
            ("\t2000000123456789\n", nil), ("eyJh.eyJ +.c/ln", "eyJh.eyJ--.c_ln"), ("eyJh.eyJ0", nil), ("a.b.c", nil),
            ("eyJh..c2ln", nil), ("MII{", nil), ("é", nil),
        ] as [(String, String?)])
    func repaired(_ typed: String, _ expected: String?) {
        #expect(ReceiptText.repaired(typed) == expected)
    }

    @Test(
        "Repairs spaces in base64 and leaves any other text unchanged",
        arguments: [
            ("MII a/b c=", "MII+a/b+c="), ("MI\r\nIB\n", "MIIB"), ("eyJ.abc-_.x y", "eyJ.abc-_.x+y"), ("", ""),
            (#"{"orderId":"GPA.1 2"}"#, #"{"orderId":"GPA.1 2"}"#), ("é ", "é "),
            ("q1YqVrJSSknMSy_-=:1:11", "q1YqVrJSSknMSy_-=:1:11"), ("q1YqVrJS-_k", "q1YqVrJS-_k"),
        ])
    func unspaced(_ typed: String, _ expected: String) {
        #expect(ReceiptText.unspaced(typed) == expected)
    }

    @Test("Decodes the bytes, and returns every possible reading of a text with spaces")
    func bytes() {
        #expect(ReceiptText.decoded("-_\n8=") == [0xFB, 0xFF] && ReceiptText.decoded("+/8") == [0xFB, 0xFF])
        #expect(ReceiptText.decoded("AA==B") == nil && ReceiptText.decoded("é") == nil)
        #expect(ReceiptText.readings("AAAA") == [[0, 0, 0]])
        #expect(ReceiptText.readings("AA A") == [[0, 0x0F, 0x80], [0, 0]])
        #expect(ReceiptText.readings("  AAAA") == [[0xFB, 0xE0, 0, 0], [0, 0, 0]])
        #expect(ReceiptText.readings("{}").isEmpty)
    }

    @Test("Repair of any text is idempotent or fails, and preserves the bytes")
    func total() {
        var random = SeededRandom(seed: 64)
        var repaired = 0
        for _ in 0..<10_000 {
            let text = String(
                decoding: random.hostileBytes(upTo: 12, specialCharacters: "MIAGeyJ.0 +/-_=\r\n\t"), as: UTF8.self)
            let unspaced = ReceiptText.unspaced(text)
            if ReceiptText.unspaced(unspaced) != unspaced { Issue.record("\(text)") }
            let readings = ReceiptText.readings(text)
            guard let receipt = ReceiptText.repaired(text) else { continue }
            repaired += 1
            if ReceiptText.repaired(receipt) != receipt { Issue.record("\(text)") }
            if let bytes = ReceiptText.decoded(receipt), !readings.contains(bytes) { Issue.record("\(text)") }
        }
        #expect(repaired > 10)
    }
}
