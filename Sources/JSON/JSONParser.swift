/// A strict parser of one JSON text (RFC 8259): UTF-8, no duplicate names, no lone surrogates, nothing after the
/// text.
package struct JSONParser {
    /// The maximum nesting depth of arrays and objects.
    package static let maxDepth = 100

    private let bytes: [UInt8]
    private var index = 0

    /// Parses a JSON text.
    ///
    /// - Throws: ``JSONError``, except ``JSONError/tooMuch``.
    package static func parse(_ bytes: [UInt8]) throws(JSONError) -> JSONValue {
        guard String(validating: bytes, as: UTF8.self) != nil else { throw .malformed }
        // RFC 8259 section 8.1: a parser may ignore a byte order mark.
        var parser = JSONParser(bytes: bytes.starts(with: [0xEF, 0xBB, 0xBF]) ? Array(bytes.dropFirst(3)) : bytes)
        let value = try parser.value(depth: 0)
        parser.skipSpace()
        guard parser.index == parser.bytes.count else { throw .malformed }
        return value
    }

    private init(bytes: [UInt8]) {
        self.bytes = bytes
    }

    private var next: UInt8? { index < bytes.count ? bytes[index] : nil }

    private mutating func skipSpace() {
        while let byte = next, [0x20, 0x09, 0x0A, 0x0D].contains(byte) { index += 1 }
    }

    private mutating func take(_ byte: UInt8) -> Bool {
        skipSpace()
        guard next == byte else { return false }
        index += 1
        return true
    }

    private mutating func value(depth: Int) throws(JSONError) -> JSONValue {
        guard depth <= Self.maxDepth else { throw .tooDeep }
        skipSpace()
        switch next {
        case UInt8(ascii: "{"): return try object(depth: depth)
        case UInt8(ascii: "["): return try array(depth: depth)
        case UInt8(ascii: "\""): return .string(try string())
        case UInt8(ascii: "t"): return try literal("true", .boolean(true))
        case UInt8(ascii: "f"): return try literal("false", .boolean(false))
        case UInt8(ascii: "n"): return try literal("null", .null)
        default: return try number()
        }
    }

    private mutating func literal(_ text: StaticString, _ value: JSONValue) throws(JSONError) -> JSONValue {
        let expected = text.withUTF8Buffer { Array($0) }
        guard bytes[index...].starts(with: expected) else { throw .malformed }
        index += expected.count
        return value
    }

    private mutating func number() throws(JSONError) -> JSONValue {
        let start = index
        while let byte = next, (0x30...0x39).contains(byte) || "+-.eE".utf8.contains(byte) { index += 1 }
        let text = String(decoding: bytes[start..<index], as: UTF8.self)
        guard JSONValue.isNumber(text) else { throw .malformed }
        return .number(text)
    }

    private mutating func array(depth: Int) throws(JSONError) -> JSONValue {
        index += 1
        var items: [JSONValue] = []
        if take(UInt8(ascii: "]")) { return .array(items) }
        repeat { items.append(try value(depth: depth + 1)) } while take(UInt8(ascii: ","))
        guard take(UInt8(ascii: "]")) else { throw .malformed }
        return .array(items)
    }

    private mutating func object(depth: Int) throws(JSONError) -> JSONValue {
        index += 1
        var members: [JSONValue.Member] = []
        var names: Set<String> = []
        if take(UInt8(ascii: "}")) { return .object(members) }
        repeat {
            skipSpace()
            guard next == UInt8(ascii: "\"") else { throw .malformed }
            let name = try string()
            guard names.insert(name).inserted else { throw .duplicateName }
            guard take(UInt8(ascii: ":")) else { throw .malformed }
            members.append(JSONValue.Member(name: name, value: try value(depth: depth + 1)))
        } while take(UInt8(ascii: ","))
        guard take(UInt8(ascii: "}")) else { throw .malformed }
        return .object(members)
    }

    private mutating func string() throws(JSONError) -> String {
        index += 1
        var text: [UInt8] = []
        while let byte = next {
            index += 1
            switch byte {
            case UInt8(ascii: "\""): return String(decoding: text, as: UTF8.self)
            case UInt8(ascii: "\\"): text += Array(String(try escape()).utf8)
            case 0..<0x20: throw .malformed
            default: text.append(byte)
            }
        }
        throw .malformed
    }

    /// Reads the characters after a backslash (RFC 8259 section 7).
    private mutating func escape() throws(JSONError) -> Unicode.Scalar {
        guard let byte = next else { throw .malformed }
        index += 1
        switch byte {
        case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"): return Unicode.Scalar(byte)
        case UInt8(ascii: "b"): return "\u{8}"
        case UInt8(ascii: "f"): return "\u{C}"
        case UInt8(ascii: "n"): return "\n"
        case UInt8(ascii: "r"): return "\r"
        case UInt8(ascii: "t"): return "\t"
        case UInt8(ascii: "u"):
            var code = try fourDigits()
            if (0xD800..<0xDC00).contains(code) {
                guard bytes[index...].starts(with: [UInt8(ascii: "\\"), UInt8(ascii: "u")]) else { throw .malformed }
                index += 2
                let low = try fourDigits()
                guard (0xDC00..<0xE000).contains(low) else { throw .malformed }
                code = 0x10000 + (code - 0xD800) << 10 + (low - 0xDC00)
            }
            guard let scalar = Unicode.Scalar(code) else { throw .malformed }
            return scalar
        default: throw .malformed
        }
    }

    private mutating func fourDigits() throws(JSONError) -> UInt32 {
        guard index + 4 <= bytes.count else { throw .malformed }
        let digits = bytes[index..<index + 4]
        guard digits.allSatisfy({ Unicode.Scalar($0).properties.isASCIIHexDigit }),
            let code = UInt32(String(decoding: digits, as: UTF8.self), radix: 16)
        else { throw .malformed }
        index += 4
        return code
    }
}
