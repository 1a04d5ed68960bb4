import Foundation
import TestSupport
import Testing

@testable import Mail

@Suite("Quoted-printable")
struct QuotedPrintableTests {
    private func encoded(_ text: String) -> String { String(decoding: QuotedPrintable.encode(text), as: UTF8.self) }

    @Test("leaves letters, digits and signs, and encodes the rest")
    func simple() {
        #expect(encoded("") == "")
        #expect(encoded("Hello, world! a=b") == "Hello, world! a=3Db\r\n")
        #expect(encoded("Grüße") == "Gr=C3=BC=C3=9Fe\r\n")
        #expect(encoded("a \nb\t\r\n c") == "a=20\r\nb=09\r\n c\r\n")
        #expect(encoded("\n\r\r\n\n") == "\r\n\r\n\r\n\r\n")
    }

    @Test("breaks lines at 76 columns, also where the next sign would begin one")
    func long() {
        let line = String(repeating: "x", count: 75)
        #expect(encoded(line) == "\(line)\r\n")
        #expect(encoded(line + ".y") == "\(line)=\r\n=2Ey\r\n")
        #expect(encoded(line + " ") == "\(line)=\r\n=20\r\n")
    }

    @Test("says the same when it is decoded, in lines of 76 at most that begin with no dot")
    func property() {
        var random = SeededRandom(seed: 2045)
        for _ in 0..<8_000 {
            let bytes = random.hostileBytes(upTo: 120, spice: "abcdefghijk =.F\t\n\r")
            let text = String(decoding: bytes, as: UTF8.self)
            let encoded = QuotedPrintable.encode(text)
            for line in encoded.split(separator: 0x0A) {
                #expect(line.count <= 77 && line.first != UInt8(ascii: "."))
            }
            let wanted = Self.lines(Array(text.utf8))
            var decoded = Self.lines(Self.decode(encoded))
            // The last line is ended, whether it was or not.
            if wanted.last != 0x0A, decoded.last == 0x0A { decoded.removeLast() }
            #expect(decoded == wanted)
        }
    }

    /// Each line ended with LF.
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
