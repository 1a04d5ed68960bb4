import TestSupport
import Testing

@testable import ODBC

@Suite("ODBC encodings of narrow characters") struct ODBCEncodingTests {
    @Test("Every byte is a character of latin1 and of windows-1252, and encodes to the same byte again")
    func bytes() throws {
        for encoding in [ODBCEncoding.latin1, .windows1252] {
            var seen: Set<String> = []
            for byte in UInt8.min ... .max {
                let letter = try #require(encoding.decode([byte]))
                #expect(letter.unicodeScalars.count == 1 && seen.insert(letter).inserted)
                #expect(encoding.encode(letter) == [byte])
            }
        }
        #expect(ODBCEncoding.windows1252.decode([0x80, 0x8A, 0x9F, 0xE9]) == "€ŠŸé")
        #expect(ODBCEncoding.latin1.decode([0x80, 0xE9]) == "\u{80}é")
    }

    @Test("A decomposed accented letter is encoded as the composed one")
    func decomposed() {
        #expect(ODBCEncoding.latin1.encode("e\u{301}") == [0xE9])
        #expect(ODBCEncoding.windows1252.encode("S\u{30C}") == [0x8A])
        #expect(ODBCEncoding.latin1.encode("S\u{30C}") == nil)
    }

    @Test(
        "A character that an encoding lacks is an error, never a question mark",
        arguments: ["😀", "ł", "\u{20AC}", "z\u{301}"])
    func missing(text: String) {
        #expect(ODBCEncoding.latin1.encode("a" + text) == nil)
        #expect(ODBCEncoding.utf8.encode(text) == Array(text.utf8))
    }

    @Test("Bytes that are not UTF-8 are not text")
    func invalid() {
        for bytes: [UInt8] in [[0xFF], [0xC3], [0xC0, 0x80], [0xED, 0xA0, 0x80], [0x61, 0x80]] {
            #expect(ODBCEncoding.utf8.decode(bytes) == nil)
            #expect(ODBCEncoding.driver.decode(bytes) == nil)
        }
    }

    @Test("Decoded bytes are encoded to the same bytes")
    func property() {
        var random = SeededRandom(seed: 0xE2C0)
        for _ in 0..<10_000 {
            let bytes = random.hostileBytes(upTo: 12, specialCharacters: "é😀a\u{301}")
            for encoding in [ODBCEncoding.utf8, .latin1, .windows1252] {
                guard let text = encoding.decode(bytes) else {
                    #expect(encoding == .utf8)
                    continue
                }
                // Two one-byte characters may combine into one grapheme, which then may have no encoding.
                if let again = encoding.encode(text) { #expect(again == bytes) }
            }
        }
    }
}
