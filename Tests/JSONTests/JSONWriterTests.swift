import TestSupport
import Testing

@testable import JSON

@Suite("JSON writer")
struct JSONWriterTests {
    private func write(_ value: JSONValue) -> String { String(decoding: JSONWriter.bytes(value), as: UTF8.self) }

    @Test("Keeps the order of members and the digits of numbers, without spaces")
    func order() {
        #expect(
            write(["b": .number("12345678901234567890.10"), "a": [1, .null, true, false, [], [:]], "": "x"])
                == #"{"b":12345678901234567890.10,"a":[1,null,true,false,[],{}],"":"x"}"#)
        #expect(write("x") == #""x""#)
    }

    @Test("Escapes control characters and quotes, but not slashes")
    func escapes() {
        #expect(
            write(.string("\"\\/\n\r\t\u{0}\u{1F}\u{7F}\u{85}\u{2028}\u{2029}é😀"))
                == #""\"\\/\u000a\u000d\u0009\u0000\u001f\u007f\u0085\u2028\u2029é😀""#)
        #expect(write(["a\"b": 1]) == #"{"a\"b":1}"#)
    }

    @Test("Writes an invalid number as null", arguments: ["", "NaN", "01", "1,\"a\":2", "+1", "0x1"])
    func numbers(text: String) {
        #expect(write([.number(text)]) == "[null]")
    }

    @Test("Writes deep values without recursion")
    func depth() {
        var value = JSONValue.array([])
        for _ in 1..<2_000 { value = .array([value]) }
        #expect(JSONWriter.bytes(value).count == 4_000)
    }

    @Test("8,000 random values survive a round trip")
    func property() async throws {
        var random = SeededRandom(seed: 41)
        for round in 0..<8_000 {
            if round.isMultiple(of: 100) { await Task.yield() }
            let value = Self.value(depth: 0, &random)
            #expect(try JSONParser.parse(JSONWriter.bytes(value)) == value)
        }
    }

    private static let numbers = ["0", "-0", "1", "-12.50", "1E+400", "12345678901234567890", "0.1e-7"]

    private static func text(_ random: inout SeededRandom) -> String {
        String(
            decoding: random.hostileBytes(upTo: 12, specialCharacters: "\"\\/\n\u{0}\u{1F}{}[],:u\u{2028}"),
            as: UTF8.self)
    }

    private static func value(depth: Int, _ random: inout SeededRandom) -> JSONValue {
        switch Int.random(in: 0..<(depth < 5 ? 7 : 5), using: &random) {
        case 0: return .null
        case 1: return .boolean(Bool.random(using: &random))
        case 2: return .number(numbers.randomElement(using: &random) ?? "0")
        case 3, 4: return .string(text(&random))
        case 5:
            return .array((0..<Int.random(in: 0...3, using: &random)).map { _ in value(depth: depth + 1, &random) })
        default:
            var names: Set<String> = []
            var members: [JSONValue.Member] = []
            for _ in 0..<Int.random(in: 0...3, using: &random) {
                let name = text(&random)
                guard names.insert(name).inserted else { continue }
                members.append(JSONValue.Member(name: name, value: value(depth: depth + 1, &random)))
            }
            return .object(members)
        }
    }
}
