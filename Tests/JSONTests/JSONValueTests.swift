import Testing

@testable import JSON

@Suite("JSON value")
struct JSONValueTests {
    @Test("Has literals that keep the order of members")
    func literals() {
        let value: JSONValue = ["b": 1, "a": [true, "x", -2], "c": [:]]
        #expect(
            value
                == .object([
                    .init(name: "b", value: .number("1")),
                    .init(name: "a", value: .array([.boolean(true), .string("x"), .number("-2")])),
                    .init(name: "c", value: .object([])),
                ]))
    }

    @Test("Reads each type without conversion")
    func reading() throws {
        let value = try JSONParser.parse(
            Array(#"{"t": "1", "n": 1700000000000, "d": 1.0, "h": 1e400, "l": 9223372036854775808, "b": false}"#.utf8))
        #expect(value["t"]?.text == "1" && value["t"]?.integer == nil && value["t"]?.boolValue == nil)
        #expect(value["n"]?.integer == 1_700_000_000_000 && value["n"]?.text == nil)
        for name in ["d", "h", "l", "b"] { #expect(value[name]?.integer == nil, "\(name)") }
        #expect(value["b"]?.boolValue == false)
        #expect(value["none"]?.text == nil)
        #expect(value.members?.count == 6 && value.items == nil)
        #expect(JSONValue.array(["a"]).items == ["a"] && JSONValue.array([]).members == nil)
    }
}
