/// A parser of one value of an old-style property list, byte by byte.
struct PropertyListTextParser {
    private let bytes: [UInt8]
    private var index = 0
    private var left = PropertyListText.maxValues

    init(_ bytes: some Sequence<UInt8>) throws(PropertyListTextError) {
        self.bytes = Array(bytes)
        guard self.bytes.count <= PropertyListText.maxLength else { throw .tooMuch }
    }

    mutating func only() throws(PropertyListTextError) -> PropertyListText {
        let value = try value(depth: 0)
        skipSpace()
        // Some receipts end with the NUL of a C string.
        guard bytes[index...].allSatisfy({ $0 == 0 }) else { throw .malformed }
        return value
    }

    private var next: UInt8? { index < bytes.count ? bytes[index] : nil }

    private mutating func skipSpace() {
        while let byte = next, byte == 0x20 || (0x09...0x0D).contains(byte) { index += 1 }
    }

    private mutating func take(_ letter: Unicode.Scalar) -> Bool {
        skipSpace()
        guard next == UInt8(ascii: letter) else { return false }
        index += 1
        return true
    }

    private mutating func value(depth: Int) throws(PropertyListTextError) -> PropertyListText {
        guard depth < PropertyListText.maxDepth else { throw .tooDeep }
        left -= 1
        guard left >= 0 else { throw .tooMuch }
        if take("{") { return .dictionary(try entries(depth: depth)) }
        if take("(") { return .array(try items(depth: depth)) }
        return .text(try text())
    }

    private mutating func entries(depth: Int) throws(PropertyListTextError) -> [String: PropertyListText] {
        var entries: [String: PropertyListText] = [:]
        while !take("}") {
            let key = try text()
            guard take("=") else { throw .malformed }
            guard entries.updateValue(try value(depth: depth + 1), forKey: key) == nil else { throw .duplicateKey }
            // The last semicolon may be missing.
            if !take(";") {
                guard take("}") else { throw .malformed }
                return entries
            }
        }
        return entries
    }

    private mutating func items(depth: Int) throws(PropertyListTextError) -> [PropertyListText] {
        var items: [PropertyListText] = []
        while !take(")") {
            items.append(try value(depth: depth + 1))
            if !take(",") {
                guard take(")") else { throw .malformed }
                return items
            }
        }
        return items
    }

    private mutating func text() throws(PropertyListTextError) -> String {
        skipSpace()
        let letters = next == UInt8(ascii: "\"") ? try quoted() : bare()
        guard let letters, let text = String(validating: letters, as: UTF8.self) else { throw .malformed }
        return text
    }

    /// Returns a text without quotes, or nil if there is none.
    private mutating func bare() -> [UInt8]? {
        let start = index
        while let byte = next {
            let letter = Unicode.Scalar(byte)
            guard byte < 0x80,
                letter.properties.isAlphabetic || (0x30...0x39).contains(byte) || "_$/:.-".utf8.contains(byte)
            else { break }
            index += 1
        }
        return start == index ? nil : Array(bytes[start..<index])
    }

    private mutating func quoted() throws(PropertyListTextError) -> [UInt8] {
        index += 1
        var letters: [UInt8] = []
        while let byte = next {
            index += 1
            switch byte {
            case UInt8(ascii: "\""): return letters
            case UInt8(ascii: "\\"): letters += try escaped()
            default: letters.append(byte)
            }
        }
        throw .malformed
    }

    /// Returns the bytes of an escape after a backslash: a letter, three octal digits, or `U` and four hexadecimal
    /// digits.
    private mutating func escaped() throws(PropertyListTextError) -> [UInt8] {
        guard let byte = next else { throw .malformed }
        index += 1
        switch byte {
        case UInt8(ascii: "n"): return [0x0A]
        case UInt8(ascii: "r"): return [0x0D]
        case UInt8(ascii: "t"): return [0x09]
        case UInt8(ascii: "U"): return Array(String(try scalar(digits: 4, radix: 16)).utf8)
        case UInt8(ascii: "0")...UInt8(ascii: "7"):
            index -= 1
            return Array(String(try scalar(digits: 3, radix: 8)).utf8)
        default: return [byte]
        }
    }

    private mutating func scalar(digits: Int, radix: Int) throws(PropertyListTextError) -> Unicode.Scalar {
        guard index + digits <= bytes.count, bytes[index] != UInt8(ascii: "+"), bytes[index] != UInt8(ascii: "-"),
            let code = UInt32(String(decoding: bytes[index..<index + digits], as: UTF8.self), radix: radix),
            let scalar = Unicode.Scalar(code)
        else { throw .malformed }
        index += digits
        return scalar
    }
}
