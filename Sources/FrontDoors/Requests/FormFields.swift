/// Reads `application/x-www-form-urlencoded` text, of a query or a body, the way browsers and PHP do.
///
/// Total: every sequence of bytes has a reading. A malformed percent-escape stands for itself (PROTOCOLS 1.1), and bytes
/// that are no UTF-8 become U+FFFD, which ``RequestFields`` refuses.
package enum FormFields {
    /// The fields in their order. Names are taken exactly; what has no name is no field.
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

    /// The end of the range where there is none.
    private static func position(
        of byte: UInt8, in bytes: UnsafeBufferPointer<UInt8>, _ range: Range<Int>
    ) -> Int {
        var index = range.lowerBound
        while index < range.upperBound, bytes[index] != byte { index += 1 }
        return index
    }

    /// The text without its percent-escapes, where a plus is a plus.
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
                let digits = rest.prefix(2).compactMap(hexadecimalValue)
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

/// The value of a hexadecimal digit of either case.
func hexadecimalValue(_ digit: UInt8) -> UInt8? {
    switch digit {
    case UInt8(ascii: "0")...UInt8(ascii: "9"): digit - UInt8(ascii: "0")
    case UInt8(ascii: "a")...UInt8(ascii: "f"): digit - UInt8(ascii: "a") + 10
    case UInt8(ascii: "A")...UInt8(ascii: "F"): digit - UInt8(ascii: "A") + 10
    default: nil
    }
}
