/// Percent encoding of a value as one component of a URL.
package enum PercentEncoding {
    /// Escapes everything except the unreserved characters of RFC 3986 section 2.3.
    package static func encode(_ value: String) -> String {
        var bytes: [UInt8] = []
        for byte in value.utf8 {
            switch byte {
            case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "."), UInt8(ascii: "_"),
                UInt8(ascii: "~"):
                bytes.append(byte)
            default:
                bytes.append(UInt8(ascii: "%"))
                bytes += Hexadecimal.upperCaseDigits(byte)
            }
        }
        return String(decoding: bytes, as: UTF8.self)
    }

    /// Decodes a form value, in which a plus is a space. Returns nil if the text has no escape, if an escape is
    /// invalid, or if the result is not UTF-8.
    package static func decodeForm(_ text: String) -> String? {
        guard text.contains("%") else { return nil }
        var bytes: [UInt8] = []
        var rest = Array(text.utf8)[...]
        while let byte = rest.popFirst() {
            switch byte {
            case UInt8(ascii: "+"): bytes.append(UInt8(ascii: " "))
            case UInt8(ascii: "%"):
                guard let decoded = Hexadecimal.byte(rest.prefix(2)) else { return nil }
                bytes.append(decoded)
                rest = rest.dropFirst(2)
            default: bytes.append(byte)
            }
        }
        return String(validating: bytes, as: UTF8.self)
    }
}
