import Primitives

/// Values in search filters (RFC 4515 section 3).
public enum FilterValue {
    /// Escapes a value so that a filter treats it as literal text. Each byte that has a meaning in filters, and
    /// each byte that is not printable ASCII, becomes a backslash and two hexadecimal digits.
    ///
    /// Bytes beyond ASCII are valid in filters as UTF-8. They are escaped too, so that the result does not depend
    /// on the way a server or library treats malformed or unusual text.
    public static func escape(_ value: some Sequence<UInt8>) -> String {
        var text = ""
        for byte in value {
            switch byte {
            case UInt8(ascii: "*"), UInt8(ascii: "("), UInt8(ascii: ")"), UInt8(ascii: "\\"), 0...0x1F, 0x7F...0xFF:
                text += "\\" + Hexadecimal.encode([byte])
            default:
                text.unicodeScalars.append(Unicode.Scalar(byte))
            }
        }
        return text
    }

    public static func escape(_ value: String) -> String { escape(value.utf8) }

    /// Returns the bytes that a value in a filter represents. Returns nil for an invalid value: an asterisk or
    /// parenthesis, or a backslash without two digits.
    public static func unescape(_ text: String) -> [UInt8]? {
        var bytes: [UInt8] = []
        var rest = Array(text.utf8)[...]
        while let byte = rest.popFirst() {
            switch byte {
            case UInt8(ascii: "\\"):
                guard let value = Hexadecimal.byte(rest.prefix(2)) else { return nil }
                bytes.append(value)
                rest = rest.dropFirst(2)
            case UInt8(ascii: "*"), UInt8(ascii: "("), UInt8(ascii: ")"), 0: return nil
            default: bytes.append(byte)
            }
        }
        return bytes
    }
}
