import Gatefold

/// What documents write into URLs of what the catalogue has in its own words (RFC 3986).
enum AddressText {
    /// A path as it is on the disk: everything is escaped that is not unreserved.
    static func path(_ path: String) -> String { escaped(path.utf8) { isUnreserved($0) || $0 == UInt8(ascii: "/") } }

    /// A reference that is relative: its escapes and its query stay, and what may not stand in it is escaped.
    static func reference(_ text: String) -> String {
        let path = text.utf8.prefix { $0 != UInt8(ascii: "?") && $0 != UInt8(ascii: "#") }
        return escaped(path) { isUnreserved($0) || $0 == UInt8(ascii: "/") || $0 == UInt8(ascii: "%") }
            + escaped(text.utf8.dropFirst(path.count)) { isUnreserved($0) || inQueries.contains($0) }
    }

    /// Whether it needs nothing in front: catalogues have schemes in lower case, and no others.
    static func isAbsolute(_ reference: String) -> Bool {
        reference.hasPrefix("https://") || reference.hasPrefix("http://")
    }

    private static let inQueries = Set("/%?#:@!$&'()*+,;=".utf8)

    private static func isUnreserved(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "a")...UInt8(ascii: "z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "."), UInt8(ascii: "_"),
            UInt8(ascii: "~"):
            true
        default: false
        }
    }

    private static func escaped(_ bytes: some Sequence<UInt8>, keeping isKept: (UInt8) -> Bool) -> String {
        var result = ""
        for byte in bytes {
            if isKept(byte) {
                result.unicodeScalars.append(Unicode.Scalar(byte))
            } else {
                result += "%" + Hexadecimal.encode([byte]).uppercased()
            }
        }
        return result
    }
}
