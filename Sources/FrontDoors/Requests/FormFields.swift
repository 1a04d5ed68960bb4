import Primitives

/// A parser of `application/x-www-form-urlencoded` text in a query or a body, as browsers and PHP read it.
///
/// Any bytes can be parsed. A malformed percent-escape is taken literally, and bytes that are not UTF-8 become
/// U+FFFD, which ``RequestFields`` rejects.
///
/// Source: Pugpig protocol, “Malformed percent escapes”.
package enum FormFields {
    /// Returns the fields in order. Names are case-sensitive, and a field without a name is ignored.
    static func parse(_ bytes: some Collection<UInt8>) -> [(name: String, value: String)] {
        bytes.withContiguousStorageIfAvailable(fields) ?? Array(bytes).withUnsafeBufferPointer(fields)
    }

    private static func fields(_ bytes: UnsafeBufferPointer<UInt8>) -> [(name: String, value: String)] {
        var fields: [(name: String, value: String)] = []
        var start = 0
        while start < bytes.count {
            let end = position(of: UInt8(ascii: "&"), in: bytes, start..<bytes.count)
            let equals = position(of: UInt8(ascii: "="), in: bytes, start..<end)
            let name = decode(bytes[start..<equals])
            if !name.isEmpty { fields.append((name, equals < end ? decode(bytes[(equals + 1)..<end]) : "")) }
            start = end + 1
        }
        return fields
    }

    /// Returns the position of a byte in a range, or the end of the range if the byte is missing.
    private static func position(
        of byte: UInt8, in bytes: UnsafeBufferPointer<UInt8>, _ range: Range<Int>
    ) -> Int {
        var index = range.lowerBound
        while index < range.upperBound, bytes[index] != byte { index += 1 }
        return index
    }

    /// Returns the text without its percent-escapes. A plus remains a plus.
    package static func unescaped(_ bytes: some Collection<UInt8>) -> String { decode(bytes, plus: UInt8(ascii: "+")) }

    private static func decode(_ bytes: some Collection<UInt8>, plus: UInt8 = UInt8(ascii: " ")) -> String {
        if !bytes.contains(where: { $0 == UInt8(ascii: "%") || $0 == UInt8(ascii: "+") }) {
            return String(decoding: bytes, as: UTF8.self)
        }
        var decoded: [UInt8] = []
        decoded.reserveCapacity(bytes.count)
        var rest = bytes[...]
        while let byte = rest.popFirst() {
            switch byte {
            case UInt8(ascii: "+"):
                decoded.append(plus)
            case UInt8(ascii: "%"):
                let digits = rest.prefix(2).compactMap(Hexadecimal.value)
                if digits.count == 2 {
                    decoded.append(digits[0] << 4 | digits[1])
                    rest = rest.dropFirst(2)
                } else {
                    decoded.append(byte)
                }
            default:
                decoded.append(byte)
            }
        }
        return String(decoding: decoded, as: UTF8.self)
    }
}
