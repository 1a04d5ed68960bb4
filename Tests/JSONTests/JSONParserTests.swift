import Foundation
import TestSupport
import Testing

@testable import JSON

@Suite("JSON parser")
struct JSONParserTests {
    private func parse(_ text: String) throws(JSONError) -> JSONValue { try JSONParser.parse(Array(text.utf8)) }

    @Test("Preserves the digits of numbers and the order of members")
    func values() throws {
        let json = try parse(#" {"b": 12345678901234567890.10, "a": [true, false, null, -0, 1E+2], "": {}} "#)
        #expect(
            json
                == .object([
                    .init(name: "b", value: .number("12345678901234567890.10")),
                    .init(
                        name: "a",
                        value: .array([.boolean(true), .boolean(false), .null, .number("-0"), .number("1E+2")])),
                    .init(name: "", value: .object([])),
                ]))
        #expect(try parse("\u{FEFF}1") == .number("1"))
        #expect(try parse(#""a\"\\\/\b\f\n\r\t\u00e9\ud83d\ude00é""#) == .string("a\"\\/\u{8}\u{C}\n\r\té😀é"))
    }

    @Test(
        "Rejects invalid JSON",
        arguments: [
            "", " ", "{", "[1,]", "{\"a\":1,}", "{a:1}", "01", "1.", ".5", "+1", "1e", "- 1", "NaN", "nul", "truex",
            "[1 2]",
            "\"\u{1}\"", "\"a", #""\x""#, #""\u12""#, #""\ud800""#, #""\ud800A""#, #""\udc00""#, "1 2", "{\"a\" 1}",
            "'a'", "\u{A0}1", "<html/>", #""\u+123""#,
        ])
    func malformed(text: String) {
        #expect(throws: JSONError.malformed) { try parse(text) }
    }

    @Test("Rejects duplicate names and excess depth")
    func ambiguous() {
        #expect(throws: JSONError.duplicateName) { try parse(#"{"valid": false, "valid": true}"#) }
        #expect(throws: JSONError.duplicateName) { try parse(#"{"valid": false, "v\u0061lid": true}"#) }
        #expect(throws: JSONError.tooDeep) { try parse(String(repeating: "[", count: 100_000)) }
        #expect(throws: JSONError.malformed) { try JSONParser.parse([0x22, 0xFF, 0x22]) }
    }

    @Test("Reads 10,000 random texts like Foundation or rejects them")
    func fuzz() async throws {
        var random = SeededRandom(seed: 77)
        let words = [
            "{", "}", "[", "]", ",", ":", "\"a\"", "\"b\"", "1", "-2.5e3", "true", "null", " ", "\"\\u0041\"",
            "\"\\\\\"", "é",
        ]
        var read = 0
        for round in 0..<10_000 {
            if round.isMultiple(of: 100) { await Task.yield() }
            var bytes: [UInt8] = []
            if Bool.random(using: &random) {
                for _ in 0..<Int.random(in: 1...7, using: &random) {
                    bytes += Array(words.randomElement(using: &random)!.utf8)
                }
            } else {
                bytes = random.hostileBytes(upTo: 24, specialCharacters: "{}[]\",:\\u0129truefalsn-+.eE ")
            }
            guard let json = try? JSONParser.parse(bytes) else { continue }
            read += 1
            let other = try? JSONSerialization.jsonObject(with: Data(bytes), options: .fragmentsAllowed)
            // Foundation rejects numbers beyond its own range.
            #expect(
                other != nil || bytes.contains { "eE".utf8.contains($0) }, "\(String(decoding: bytes, as: UTF8.self))")
            if case .object(let members) = json { #expect((other as? [String: Any])?.count == members.count) }
            if case .array(let items) = json { #expect((other as? [Any])?.count == items.count) }
        }
        #expect(read > 100)
    }

    @Test("A quoted text survives a round trip")
    func quoted() throws {
        var random = SeededRandom(seed: 3)
        for _ in 0..<10_000 {
            let text = String(
                decoding: random.hostileBytes(upTo: 30, specialCharacters: "\"\\/\n\u{0}\u{1F}u"), as: UTF8.self)
            #expect(try parse(JSONValue.quoted(text)) == .string(text))
        }
    }
}
