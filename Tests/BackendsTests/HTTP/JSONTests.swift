import Foundation
import TestSupport
import Testing

@testable import Backends

@Suite("JSON of a service")
struct JSONTests {
    private func parse(_ text: String) throws(JSONError) -> JSONValue { try JSONParser.parse(Array(text.utf8)) }

    @Test("Numbers keep their digits, and objects their order")
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
        "What is not JSON is refused",
        arguments: [
            "", " ", "{", "[1,]", "{\"a\":1,}", "{a:1}", "01", "1.", ".5", "+1", "1e", "- 1", "NaN", "nul", "truex",
            "[1 2]",
            "\"\u{1}\"", "\"a", #""\x""#, #""\u12""#, #""\ud800""#, #""\ud800A""#, #""\udc00""#, "1 2", "{\"a\" 1}",
            "'a'", "\u{A0}1", "<html/>", #""\u+123""#,
        ])
    func malformed(text: String) {
        #expect(throws: JSONError.malformed) { try parse(text) }
    }

    @Test("Two members of one name, and too deep a nesting, are refused")
    func ambiguous() {
        #expect(throws: JSONError.duplicateName) { try parse(#"{"valid": false, "valid": true}"#) }
        #expect(throws: JSONError.duplicateName) { try parse(#"{"valid": false, "v\u0061lid": true}"#) }
        #expect(throws: JSONError.tooDeep) { try parse(String(repeating: "[", count: 100_000)) }
        #expect(throws: JSONError.malformed) { try JSONParser.parse([0x22, 0xFF, 0x22]) }
    }

    @Test("100,000 random texts are read as Foundation reads them, or refused")
    func fuzz() async throws {
        var random = SeededRandom(seed: 77)
        let words = [
            "{", "}", "[", "]", ",", ":", "\"a\"", "\"b\"", "1", "-2.5e3", "true", "null", " ", "\"\\u0041\"",
            "\"\\\\\"", "é",
        ]
        var read = 0
        for round in 0..<100_000 {
            if round.isMultiple(of: 100) { await Task.yield() }
            var bytes: [UInt8] = []
            if Bool.random(using: &random) {
                for _ in 0..<Int.random(in: 1...7, using: &random) {
                    bytes += Array(words.randomElement(using: &random)!.utf8)
                }
            } else {
                bytes = random.hostileBytes(upTo: 24, spice: "{}[]\",:\\u0129truefalsn-+.eE ")
            }
            guard let json = try? JSONParser.parse(bytes) else { continue }
            read += 1
            let other = try? JSONSerialization.jsonObject(with: Data(bytes), options: .fragmentsAllowed)
            // It reads no number beyond its own.
            #expect(
                other != nil || bytes.contains { "eE".utf8.contains($0) }, "\(String(decoding: bytes, as: UTF8.self))")
            if case .object(let members) = json { #expect((other as? [String: Any])?.count == members.count) }
            if case .array(let items) = json { #expect((other as? [Any])?.count == items.count) }
        }
        #expect(read > 1000)
    }

    @Test("A text in quotes is read back as the same text, whatever is in it")
    func quoted() throws {
        var random = SeededRandom(seed: 3)
        for _ in 0..<10_000 {
            let text = String(decoding: random.hostileBytes(upTo: 30, spice: "\"\\/\n\u{0}\u{1F}u"), as: UTF8.self)
            #expect(try parse(JSONValue.quoted(text)) == .string(text))
        }
    }

    @Test(
        "A pointer points to what RFC 6901 section 5 says",
        arguments: [
            ("/foo", #"["bar","baz"]"#), ("/foo/0", #""bar""#), ("/", "0"), ("/a~1b", "1"), ("/c%d", "2"),
            ("/e^f", "3"),
            ("/g|h", "4"), ("/i\\j", "5"), ("/k\"l", "6"), ("/ ", "7"), ("/m~0n", "8"),
        ])
    func pointer(text: String, expected: String) throws {
        let json = try parse(
            #"{"foo":["bar","baz"],"":0,"a/b":1,"c%d":2,"e^f":3,"g|h":4,"i\\j":5,"k\"l":6," ":7,"m~n":8}"#)
        #expect(JSONPointer(text)?.value(in: json) == (try parse(expected)))
        #expect(JSONPointer("")?.value(in: json) == json)
        for nothing in ["/foo/2", "/foo/-", "/foo/01", "/foo/+0", "/foo/-1", "/bar", "/foo/0/x"] {
            #expect(JSONPointer(nothing)?.value(in: json) == nil, "\(nothing)")
        }
        #expect(JSONPointer("foo") == nil)
        #expect(JSONPointer("/a~2") == nil)
    }

    private static let store = #"""
        {"store": {"book": [
          {"kind": "print", "id": 1, "price": 8.95}, {"kind": "web", "id": 2, "price": 12.0, "ended": true},
          {"kind": "web", "id": 3, "isbn": "x"}], "bicycle": {"id": 9}}, "it's": "q"}
        """#

    @Test(
        "A path finds what RFC 9535 says",
        arguments: [
            ("$.store.book[0].id", "[1]"), ("$['store']['book'][-1].id", "[3]"), ("$.store.book[*].id", "[1,2,3]"),
            ("$..id", "[1,2,3,9]"), ("$.store.book[?@.kind == 'web'].id", "[2,3]"),
            ("$.store.book[?@.kind != 'web'].id", "[1]"), ("$.store.book[?@.isbn].id", "[3]"),
            ("$.store.book[?@.price==12].id", "[2]"), ("$.store.book[?@.ended != true].id", "[1,3]"),
            ("$['it\\'s']", #"["q"]"#), ("$.nothing", "[]"), ("$.store.book[7]", "[]"), ("$..book[1].id", "[2]"),
            ("$.store.*.id", "[9]"), ("$.store.book.id", "[]"), ("$..[?@.isbn == \"x\"].id", "[3]"),
        ])
    func path(text: String, expected: String) throws {
        let path = try #require(JSONPath(text))
        #expect(.array(try path.values(in: try parse(Self.store))) == (try parse(expected)))
    }

    @Test(
        "What is beyond the part of JSONPath that is known is refused, and not half understood",
        arguments: [
            "", "store", "$.", "$..", "$.store[", "$[1:2]", "$[0,1]", "$['a','b']", "$[?@.a == 1 && @.b == 2]",
            "$[?length(@.a) == 1]", "$[?@..a]", "$[?@.a == @.b]", "$[?@.a < 1]", "$.a b", "$[01]", "$[-0]", "$ .a",
            "$.1a",
            "$[?@.*]", "$[?1 == @.a]",
        ])
    func refusedPaths(text: String) {
        #expect(JSONPath(text) == nil)
    }

    @Test("A path that looks at too much ends, and 100,000 random ones are paths or not")
    func bounds() async throws {
        let deep = try parse(String(repeating: "[", count: 90) + String(repeating: "]", count: 90))
        let path = try #require(JSONPath("$..*..*..*..*..*"))
        #expect(throws: JSONError.tooMuch) { try path.values(in: deep) }
        var random = SeededRandom(seed: 5)
        let json = try parse(Self.store)
        for round in 0..<100_000 {
            if round.isMultiple(of: 100) { await Task.yield() }
            let text =
                "$" + String(decoding: random.hostileBytes(upTo: 14, spice: ".[]*?@='\"-0123abid store"), as: UTF8.self)
            if let path = JSONPath(text) { _ = try path.values(in: json) }
        }
    }

    @Test("Fields of a form are read as browsers write them")
    func form() {
        let fields = FormFields("a=1&b=x+y%26%C3%A9&a=2&c&=e&bad=%zz%4&a=")
        #expect(fields.values("a") == ["1", "2", ""])
        #expect(fields.values("b") == ["x y&é"])
        #expect(fields.values("c") == [""])
        #expect(fields.values("bad") == ["%zz%4"])
        #expect(fields.values("z") == [])
    }
}
