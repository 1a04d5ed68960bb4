import Primitives

/// A parser of a JSON object (RFC 8259) whose values are strings, numbers and Booleans.
///
/// It is written by hand, because numbers retain their spelling: a subscriber number of twenty digits must not be
/// rounded. Any bytes result in fields or `nil`.
struct FlatJSON {
    private var rest: ArraySlice<UInt8>

    /// Returns the fields in order, without those that are `null`. Returns `nil` if the bytes are not such an
    /// object.
    static func parse(_ bytes: [UInt8]) -> [(name: String, value: String)]? {
        var parser = FlatJSON(rest: bytes[...])
        return parser.object()
    }

    private mutating func object() -> [(name: String, value: String)]? {
        var fields: [(name: String, value: String)] = []
        skipSpace()
        guard skip("{") else { return nil }
        skipSpace()
        if !skip("}") {
            repeat {
                skipSpace()
                guard let name = string() else { return nil }
                skipSpace()
                guard skip(":") else { return nil }
                skipSpace()
                if !skip("null") {
                    guard let value = scalar() else { return nil }
                    if !name.isEmpty { fields.append((name, value)) }
                }
                skipSpace()
            } while skip(",")
            guard skip("}") else { return nil }
        }
        skipSpace()
        return rest.isEmpty ? fields : nil
    }

    private mutating func scalar() -> String? {
        if rest.first == UInt8(ascii: "\"") { return string() }
        if skip("true") { return "true" }
        if skip("false") { return "false" }
        return number()
    }

    private mutating func number() -> String? {
        let start = rest
        _ = skip("-")
        if !skip("0") {
            guard skipDigits() else { return nil }
        }
        if skip(".") {
            guard skipDigits() else { return nil }
        }
        if skip("e") || skip("E") {
            if !skip("+") { _ = skip("-") }
            guard skipDigits() else { return nil }
        }
        return String(decoding: start[start.startIndex..<rest.startIndex], as: UTF8.self)
    }

    private mutating func string() -> String? {
        guard skip("\"") else { return nil }
        var decoded: [UInt8] = []
        while let byte = rest.popFirst() {
            switch byte {
            case UInt8(ascii: "\""): return String(decoding: decoded, as: UTF8.self)
            case ..<0x20: return nil
            case UInt8(ascii: "\\"):
                guard let scalar = escape() else { return nil }
                decoded.append(contentsOf: String(scalar).utf8)
            default: decoded.append(byte)
            }
        }
        return nil
    }

    private mutating func escape() -> Unicode.Scalar? {
        switch rest.popFirst() {
        case UInt8(ascii: "\""): "\""
        case UInt8(ascii: "\\"): "\\"
        case UInt8(ascii: "/"): "/"
        case UInt8(ascii: "b"): "\u{8}"
        case UInt8(ascii: "f"): "\u{C}"
        case UInt8(ascii: "n"): "\n"
        case UInt8(ascii: "r"): "\r"
        case UInt8(ascii: "t"): "\t"
        case UInt8(ascii: "u"): unicodeEscape()
        default: nil
        }
    }

    /// Parses the four digits after `\u`, and joins them with a low surrogate that follows. A lone surrogate
    /// becomes U+FFFD.
    private mutating func unicodeEscape() -> Unicode.Scalar? {
        guard let unit = fourDigits() else { return nil }
        if let scalar = Unicode.Scalar(unit) { return scalar }
        let afterHigh = rest
        if UTF16.isLeadSurrogate(unit), skip("\\u"), let low = fourDigits(), UTF16.isTrailSurrogate(low) {
            return Unicode.Scalar(0x10000 + (UInt32(unit) - 0xD800) << 10 + UInt32(low) - 0xDC00)
        }
        rest = afterHigh
        return "\u{FFFD}"
    }

    private mutating func fourDigits() -> UInt16? {
        let digits = rest.prefix(4).compactMap(Hexadecimal.value)
        guard digits.count == 4 else { return nil }
        rest = rest.dropFirst(4)
        return digits.reduce(0) { $0 << 4 | UInt16($1) }
    }

    private mutating func skipSpace() {
        rest = rest.drop { $0 == 0x20 || $0 == 0x0A || $0 == 0x0D || $0 == 0x09 }
    }

    private mutating func skipDigits() -> Bool {
        let after = rest.drop { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }
        defer { rest = after }
        return after.count < rest.count
    }

    private mutating func skip(_ text: StaticString) -> Bool {
        text.withUTF8Buffer { expected in
            guard rest.starts(with: expected) else { return false }
            rest = rest.dropFirst(expected.count)
            return true
        }
    }
}
