import Foundation
import Gatefold
import Primitives
import TestSupport
import Testing

@Suite("Push token text")
struct PushTokenTextTests {
    private static let bytes = Array((0..<32).map { UInt8(truncatingIfNeeded: $0 &* 37 &+ 0xEB) })
    private static let digits = Hexadecimal.encode(bytes)
    private static let base64 = Data(bytes).base64EncodedString()

    @Test(
        "Parses every spelling that apps use",
        arguments: [
            digits, digits.uppercased(), "<\(digits)>", "<\(digits.prefix(8)) \(digits.dropFirst(8))>", " \(digits)\n",
            base64, base64.replacing("+", with: " "), base64.replacing("=", with: ""),
            base64.replacing("+", with: "-").replacing("/", with: "_"), base64 + "\r\n",
            "{length=32,bytes=0x\(digits)}", "{length = 32, bytes = 0x\(digits.prefix(16)) \(digits.dropFirst(16))}",
        ])
    func spellings(text: String) {
        #expect(PushTokenText.read(text) == .token(Self.bytes))
    }

    @Test(
        "Reports a truncated description, as on iOS 13 and later, separately",
        arguments: [
            "{length=32,bytes=0x740f4707bebcf74f9b7c25d48e335894...5f6aa01d}",
            "{length = 32, bytes = 0x740f4707 bebcf74f 9b7c25d4 8e335894 ... 5f6aa01d }",
            "{length=32,bytes=0x740f4707…5f6aa01d}", "{length=32,bytes=0x}", "{length=32,bytes=0x740f}",
        ])
    func truncated(text: String) {
        #expect(PushTokenText.read(text) == .truncated)
    }

    @Test(
        "Rejects text that is not a push token",
        arguments: [
            "", " ", "(null)", "<>", "0x", "{}", "{length=32}", "simulator", String(digits.dropLast()),
            String(repeating: "0", count: 30), String(repeating: "0", count: 402), String(repeating: "0", count: 2_000),
            "ÄÖÜ" + digits,
        ])
    func malformed(text: String) {
        #expect(PushTokenText.read(text) == .malformed)
    }

    @Test("Parses tokens of every supported size")
    func sizes() {
        for size in [16, 32, 33, 100, 200] {
            let token = [UInt8](repeating: 0xA5, count: size)
            #expect(PushTokenText.read(Hexadecimal.encode(token)) == .token(token))
            #expect(PushTokenText.read(Base64URL.encode(token)) == .token(token))
        }
        #expect(PushTokenText.read(Base64URL.encode([UInt8](repeating: 0xA5, count: 15))) == .malformed)
        #expect(PushTokenText.read(Base64URL.encode([UInt8](repeating: 0xA5, count: 201))) == .malformed)
    }

    @Test("Parses 10,000 random and damaged texts without failing")
    func random() {
        var random = SeededRandom(seed: 41)
        for round in 0..<10_000 {
            var bytes =
                round.isMultiple(of: 4)
                ? Array("{length=32,bytes=0x\(Self.digits.prefix(40))}".utf8)
                : random.hostileBytes(upTo: 60, specialCharacters: "0123456789abcdefAF{}<>=,. lengthbytes0x+/-_")
            if round.isMultiple(of: 4) {
                bytes[Int.random(in: 0..<bytes.count, using: &random)] = UInt8.random(in: .min ... .max, using: &random)
            }
            if case .token(let token) = PushTokenText.read(String(decoding: bytes, as: UTF8.self)) {
                #expect(PushTokenText.sizes.contains(token.count))
            }
        }
    }
}
