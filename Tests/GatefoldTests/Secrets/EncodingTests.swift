import Foundation
import Primitives
import TestSupport
import Testing

@Suite("Base64URL and hexadecimal encoding")
struct EncodingTests {
    @Test("Base64URL matches Foundation and round-trips")
    func base64() {
        var random = SeededRandom(seed: 7)
        for count in 0..<200 {
            let bytes = random.bytes(count)
            let usual = Data(bytes).base64EncodedString()
                .replacingOccurrences(of: "+", with: "-").replacingOccurrences(of: "/", with: "_")
                .replacingOccurrences(of: "=", with: "")
            #expect(Base64URL.encode(bytes) == usual)
            #expect(Base64URL.decode(usual) == bytes)
        }
    }

    @Test(
        "Base64URL accepts only the canonical spelling",
        arguments: ["A", "AB", "AAA=", "A A", "A+8A", "A/8A", "AAB", "é", "AA\n"])
    func strict(_ text: String) {
        #expect(Base64URL.decode(text) == nil)
    }

    @Test("Of 10,000 hostile strings, Base64URL encodes again what it decoded unchanged")
    func base64Fuzz() {
        var random = SeededRandom(seed: 8)
        for _ in 0..<10_000 {
            let text = String(decoding: random.hostileBytes(upTo: 6, specialCharacters: "AZaz09-_=+/"), as: UTF8.self)
            if let bytes = Base64URL.decode(text) { #expect(Base64URL.encode(bytes) == text) }
        }
    }

    @Test("Hexadecimal round-trips in either case and rejects other text")
    func hexadecimal() {
        var random = SeededRandom(seed: 9)
        for count in 0..<50 {
            let bytes = random.bytes(count)
            let text = Hexadecimal.encode(bytes)
            #expect(text == text.lowercased())
            #expect(Hexadecimal.decode(text) == bytes)
            #expect(Hexadecimal.decode(text.uppercased()) == bytes)
        }
        for text in ["0", "0g", "x0", " 0", "é", "0x"] { #expect(Hexadecimal.decode(text) == nil) }
        for _ in 0..<10_000 {
            let text = String(decoding: random.hostileBytes(upTo: 5, specialCharacters: "09afAF"), as: UTF8.self)
            if let bytes = Hexadecimal.decode(text) { #expect(Hexadecimal.encode(bytes) == text.lowercased()) }
        }
    }
}
