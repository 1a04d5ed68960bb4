/// Reads `application/x-www-form-urlencoded` text, of a query or a body, the way browsers and PHP do.
///
/// Total: every sequence of bytes has a reading. A malformed percent-escape stands for itself (PROTOCOLS 1.1), and bytes
/// that are no UTF-8 become U+FFFD.
enum FormFields {
    /// The fields in their order. Names are taken exactly; what has no name is no field.
    static func parse(_ bytes: some Collection<UInt8>) -> [(name: String, value: String)] {
        bytes.split(separator: UInt8(ascii: "&")).compactMap { pair in
            let equals = pair.firstIndex(of: UInt8(ascii: "="))
            let name = decode(pair[..<(equals ?? pair.endIndex)])
            let value = equals.map { decode(pair[pair.index(after: $0)...]) } ?? ""
            return name.isEmpty ? nil : (name, value)
        }
    }

    /// The text without its percent-escapes, where a plus is a plus.
    static func unescaped(_ bytes: some Collection<UInt8>) -> String { decode(bytes, plus: UInt8(ascii: "+")) }

    private static func decode(_ bytes: some Collection<UInt8>, plus: UInt8 = UInt8(ascii: " ")) -> String {
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
