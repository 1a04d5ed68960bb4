import Primitives

/// Attribute values in distinguished names (RFC 4514).
public enum NameValue {
    /// Escapes a value so that a distinguished name treats it as literal text. Special characters and everything
    /// beyond printable ASCII become a backslash and two hexadecimal digits (section 2.4), so that the value can
    /// neither end early nor start another value.
    public static func escape(_ value: some Collection<UInt8>) -> String {
        var text = ""
        for (position, byte) in value.enumerated() {
            let isOuter = position == 0 || position == value.count - 1
            if isSpecial(byte) || byte < 0x20 || byte >= 0x7F || (isOuter && byte == 0x20)
                || (position == 0 && byte == UInt8(ascii: "#"))
            {
                text += "\\" + Hexadecimal.encode([byte])
            } else {
                text.unicodeScalars.append(Unicode.Scalar(byte))
            }
        }
        return text
    }

    public static func escape(_ value: String) -> String { escape(Array(value.utf8)) }

    /// Returns the bytes that a value in a name represents, or nil for a character that ends a value or an
    /// incomplete escape.
    public static func unescape(_ text: String) -> [UInt8]? {
        var bytes: [UInt8] = []
        var rest = Array(text.utf8)[...]
        guard rest.first != UInt8(ascii: "#") else { return nil }
        while let byte = rest.popFirst() {
            if byte == UInt8(ascii: "\\") {
                if let value = Hexadecimal.byte(rest.prefix(2)) {
                    bytes.append(value)
                    rest = rest.dropFirst(2)
                } else if let next = rest.popFirst(), isSpecial(next) || " #=".utf8.contains(next) {
                    bytes.append(next)
                } else {
                    return nil
                }
            } else if isSpecial(byte) || byte == 0 {
                return nil
            } else {
                bytes.append(byte)
            }
        }
        return bytes
    }

    /// Returns the value of a name's first part: `readers` for `cn=readers,dc=example`. Returns nil where the part
    /// has no value that is UTF-8.
    public static func first(of name: String) -> String? {
        let bytes = Array(name.utf8)
        guard let equals = bytes.firstIndex(of: UInt8(ascii: "=")) else { return nil }
        var end = bytes.index(after: equals)
        while end < bytes.endIndex, bytes[end] != UInt8(ascii: ","), bytes[end] != UInt8(ascii: "+") {
            end += bytes[end] == UInt8(ascii: "\\") ? 2 : 1
        }
        let value = bytes[(equals + 1)..<min(end, bytes.endIndex)]
        guard let plain = unescape(String(decoding: value, as: UTF8.self)) else { return nil }
        return String(validating: plain, as: UTF8.self)
    }

    /// Returns true for the special characters of RFC 4514 section 2.4. The character `=` may be escaped but does
    /// not need to be.
    private static func isSpecial(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "\""), UInt8(ascii: "+"), UInt8(ascii: ","), UInt8(ascii: ";"), UInt8(ascii: "<"),
            UInt8(ascii: ">"), UInt8(ascii: "\\"):
            true
        default: false
        }
    }
}
