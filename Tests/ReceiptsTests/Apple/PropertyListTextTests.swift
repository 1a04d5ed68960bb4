import Foundation
import TestSupport
import Testing

@testable import Receipts

@Suite("Parser of old-style property lists")
struct PropertyListTextTests {
    private func parse(_ text: String) throws -> PropertyListText { try PropertyListText(parsing: text.utf8) }

    @Test("Parses quoted and unquoted texts, dictionaries and arrays")
    func good() throws {
        #expect(try parse("abc") == .text("abc"))
        #expect(try parse(" \"a b\"\n") == .text("a b"))
        #expect(try parse("{}") == .dictionary([:]))
        #expect(try parse("( a, \"b\", )") == .array([.text("a"), .text("b")]))
        #expect(
            try parse("{\n\t\"a\" = \"1\";\n\tb = ( {c=d} );\n}\u{0}")
                == .dictionary(["a": .text("1"), "b": .array([.dictionary(["c": .text("d")])])]))
        #expect(try parse("{ a = b; }")["a"] == "b")
    }

    @Test("Decodes escapes and rejects invalid ones")
    func escapes() throws {
        #expect(try parse(#""a\"b\\c\n\t\U00e9\351""#) == .text("a\"b\\c\n\téé"))
        #expect(throws: PropertyListTextError.malformed) { try parse(#""\U00""#) }
        #expect(throws: PropertyListTextError.malformed) { try parse(#""\U+0a1""#) }
        #expect(throws: PropertyListTextError.malformed) { try parse(#""\Ud800""#) }
    }

    @Test(
        "Rejects malformed lists",
        arguments: [
            "", " ", "{", "}", "{a}", "{a=}", "{a=b", "{a=b;", "\"a", "\"a\\", "(a b)", "a b", "{a=b}x", "<00ff>",
            "{=b;}",
        ])
    func bad(_ text: String) {
        #expect(throws: PropertyListTextError.malformed) { try parse(text) }
    }

    @Test("Rejects duplicate keys and limits depth and size")
    func limits() {
        #expect(throws: PropertyListTextError.duplicateKey) { try parse("{a=b; a=c;}") }
        #expect(throws: PropertyListTextError.tooDeep) { try parse(String(repeating: "(", count: 100_000)) }
        #expect(throws: PropertyListTextError.tooMuch) { try parse("(" + String(repeating: "a,", count: 2_000) + ")") }
        #expect(throws: PropertyListTextError.tooMuch) { try parse(String(repeating: "a", count: 1 << 20 + 1)) }
    }

    @Test("Parses or rejects any bytes without a trap")
    func fuzz() async {
        var random = SeededRandom(seed: 3)
        let good = Array(
            #"{ "signature" = "Aa=="; "purchase-info" = "ew=="; pod = 100; list = (a, "\n\U00e9\101"); }"#.utf8)
        var read = 0
        for round in 0..<8_000 {
            // Yields to the other tests of this process.
            if round.isMultiple(of: 20) { await Task.yield() }
            var bytes = good
            if round.isMultiple(of: 2) {
                bytes = random.hostileBytes(upTo: 40, specialCharacters: "{}()=;,\"\\Ua01 ")
            } else {
                for _ in 0..<Int.random(in: 1...3, using: &random) {
                    bytes[Int.random(in: 0..<bytes.count, using: &random)] = UInt8.random(in: 0...127, using: &random)
                }
            }
            if (try? PropertyListText(parsing: bytes)) != nil { read += 1 }
        }
        #expect(read > 250)
    }
}
