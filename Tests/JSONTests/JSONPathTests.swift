import TestSupport
import Testing

@testable import JSON

@Suite("JSONPath")
struct JSONPathTests {
    private func parse(_ text: String) throws(JSONError) -> JSONValue { try JSONParser.parse(Array(text.utf8)) }

    private static let store = #"""
        {"store": {"book": [
          {"kind": "print", "id": 1, "price": 8.95}, {"kind": "web", "id": 2, "price": 12.0, "ended": true},
          {"kind": "web", "id": 3, "isbn": "x"}], "bicycle": {"id": 9}}, "it's": "q"}
        """#

    @Test(
        "Finds the values of RFC 9535",
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
        "Rejects unsupported parts of JSONPath",
        arguments: [
            "", "store", "$.", "$..", "$.store[", "$[1:2]", "$[0,1]", "$['a','b']", "$[?@.a == 1 && @.b == 2]",
            "$[?length(@.a) == 1]", "$[?@..a]", "$[?@.a == @.b]", "$[?@.a < 1]", "$.a b", "$[01]", "$[-0]", "$ .a",
            "$.1a",
            "$[?@.*]", "$[?1 == @.a]",
        ])
    func rejectedPaths(text: String) {
        #expect(JSONPath(text) == nil)
    }

    @Test("Limits the work of a path, and parses or rejects 10,000 random ones")
    func bounds() async throws {
        let deep = try parse(String(repeating: "[", count: 90) + String(repeating: "]", count: 90))
        let path = try #require(JSONPath("$..*..*..*..*..*"))
        #expect(throws: JSONError.tooMuch) { try path.values(in: deep) }
        var random = SeededRandom(seed: 5)
        let json = try parse(Self.store)
        for round in 0..<10_000 {
            if round.isMultiple(of: 100) { await Task.yield() }
            let text =
                "$"
                + String(
                    decoding: random.hostileBytes(upTo: 14, specialCharacters: ".[]*?@='\"-0123abid store"),
                    as: UTF8.self)
            if let path = JSONPath(text) { _ = try path.values(in: json) }
        }
    }
}
