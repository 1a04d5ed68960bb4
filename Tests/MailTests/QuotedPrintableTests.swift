import Foundation
import TestSupport
import Testing

@testable import Mail

@Suite("Quoted-printable")
struct QuotedPrintableTests {
    private func encoded(_ text: String) -> String { String(decoding: QuotedPrintable.encode(text), as: UTF8.self) }

    @Test("Keeps letters, digits and punctuation, and encodes other characters")
    func simple() {
        #expect(encoded("") == "")
        #expect(encoded("Hello, world! a=b") == "Hello, world! a=3Db\r\n")
        #expect(encoded("Grüße") == "Gr=C3=BC=C3=9Fe\r\n")
        #expect(encoded("a \nb\t\r\n c") == "a=20\r\nb=09\r\n c\r\n")
        #expect(encoded("\n\r\r\n\n") == "\r\n\r\n\r\n\r\n")
    }

    @Test("Breaks lines at 76 columns and encodes a dot at the start of a line")
    func long() {
        let line = String(repeating: "x", count: 75)
        #expect(encoded(line) == "\(line)\r\n")
        #expect(encoded(line + ".y") == "\(line)=\r\n=2Ey\r\n")
        #expect(encoded(line + " ") == "\(line)=\r\n=20\r\n")
    }

    @Test("Decodes to the same text, in lines of at most 76 columns without a leading dot")
    func property() {
        var random = SeededRandom(seed: 2045)
        for _ in 0..<8_000 {
            let bytes = random.hostileBytes(upTo: 120, specialCharacters: "abcdefghijk =.F\t\n\r")
            let text = String(decoding: bytes, as: UTF8.self)
            let encoded = QuotedPrintable.encode(text)
            for line in encoded.split(separator: 0x0A) {
                #expect(line.count <= 77 && line.first != UInt8(ascii: "."))
            }
            let wanted = Self.lines(Array(text.utf8))
            var decoded = Self.lines(Self.decode(encoded))
            // The encoder always ends the last line.
            if wanted.last != 0x0A, decoded.last == 0x0A { decoded.removeLast() }
            #expect(decoded == wanted)
        }
    }

    /// Returns the text with LF line ends.
    private static func lines(_ bytes: [UInt8]) -> [UInt8] {
        var lines: [UInt8] = []
        for (index, byte) in bytes.enumerated() {
            if byte == 0x0A, index > 0, bytes[index - 1] == 0x0D { continue }
            lines.append(byte == 0x0D ? 0x0A : byte)
        }
        return lines
    }

    private static func decode(_ bytes: [UInt8]) -> [UInt8] {
        var decoded: [UInt8] = []
        var rest = bytes[...]
        while let byte = rest.popFirst() {
            guard byte == UInt8(ascii: "=") else {
                decoded.append(byte)
                continue
            }
            let pair = rest.prefix(2)
            rest = rest.dropFirst(2)
            if pair.elementsEqual([0x0D, 0x0A]) { continue }
            decoded.append(UInt8(String(decoding: pair, as: UTF8.self), radix: 16) ?? 0)
        }
        return decoded
    }
}
