import Gatefold

/// What documents write into URLs of what the catalogue has in its own words (RFC 3986).
enum AddressText {
    /// A path as it is on the disk: everything is escaped that is not unreserved.
    static func path(_ path: String) -> String {
        escaped(path.utf8) { ContentName.isUnreserved($0) || $0 == UInt8(ascii: "/") }
    }

    /// A reference that is relative: its escapes and its query stay, and what may not stand in it is escaped.
    static func reference(_ text: String) -> String {
        let path = text.utf8.prefix { !"?#".utf8.contains($0) }
        return escaped(path) { ContentName.isUnreserved($0) || $0 == UInt8(ascii: "/") || $0 == UInt8(ascii: "%") }
            + query(text.utf8.dropFirst(path.count))
    }

    /// An address that needs nothing in front, as far as it may stand in a document; nil for a reference that is relative. Of its
    /// path only that is escaped which may stand in none: the rest means what its own server says.
    static func absolute(_ text: String) -> String? {
        // Catalogues have schemes in lower case, and no others.
        guard let scheme = ["https://", "http://"].first(where: { text.hasPrefix($0) }) else { return nil }
        let rest = text.utf8.dropFirst(scheme.utf8.count)
        let authority = rest.prefix { !"/?#".utf8.contains($0) }
        let path = rest.dropFirst(authority.count).prefix { !"?#".utf8.contains($0) }
        return scheme + escaped(authority) { ContentName.isUnreserved($0) || inAuthorities.contains($0) }
            + escaped(path) { ContentName.isUnreserved($0) || inPaths.contains($0) }
            + query(rest.dropFirst(authority.count + path.count))
    }

    /// With what it begins with, and with the fragment behind it.
    private static func query(_ bytes: some Sequence<UInt8>) -> String {
        escaped(bytes) { ContentName.isUnreserved($0) || inQueries.contains($0) }
    }

    private static let inAuthorities = Set("%:@[]!$&'()*+,;=".utf8)
    private static let inPaths = Set("/%:@!$&'()*+,;=".utf8)
    private static let inQueries = Set("/%?#:@!$&'()*+,;=".utf8)

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
