import Gatefold
import Primitives

/// The escaping of text from the catalogue in the URLs of documents (RFC 3986).
enum URLReferenceEncoding {
    /// Escapes a path as it is on disk: every character except unreserved ones.
    static func path(_ path: String) -> String {
        escaped(path.utf8) { ContentName.isUnreserved($0) || $0 == UInt8(ascii: "/") }
    }

    /// Escapes a relative reference: its escapes and its query remain, and characters that a URL must not contain
    /// are escaped.
    static func reference(_ text: String) -> String {
        let path = text.utf8.prefix { !"?#".utf8.contains($0) }
        return escaped(path) { ContentName.isUnreserved($0) || $0 == UInt8(ascii: "/") || $0 == UInt8(ascii: "%") }
            + query(text.utf8.dropFirst(path.count))
    }

    /// Returns an absolute address that is safe in a document, or `nil` for a relative reference.
    ///
    /// Only path characters that no URL may contain are escaped, because the server of the address defines the
    /// meaning of the rest.
    static func absolute(_ text: String) -> String? {
        // Catalogues have schemes in lower case only.
        guard let scheme = ["https://", "http://"].first(where: { text.hasPrefix($0) }) else { return nil }
        let rest = text.utf8.dropFirst(scheme.utf8.count)
        let authority = rest.prefix { !"/?#".utf8.contains($0) }
        let path = rest.dropFirst(authority.count).prefix { !"?#".utf8.contains($0) }
        return scheme + escaped(authority) { ContentName.isUnreserved($0) || inAuthorities.contains($0) }
            + escaped(path) { ContentName.isUnreserved($0) || inPaths.contains($0) }
            + query(rest.dropFirst(authority.count + path.count))
    }

    /// Escapes a query with its leading delimiter, and the fragment behind it.
    private static func query(_ bytes: some Sequence<UInt8>) -> String {
        escaped(bytes) { ContentName.isUnreserved($0) || inQueries.contains($0) }
    }

    private static let inAuthorities = Set("%:@[]!$&'()*+,;=".utf8)
    private static let inPaths = Set("/%:@!$&'()*+,;=".utf8)
    private static let inQueries = Set("/%?#:@!$&'()*+,;=".utf8)

    private static func escaped(_ bytes: some Sequence<UInt8>, allowing isAllowed: (UInt8) -> Bool) -> String {
        var result = ""
        for byte in bytes {
            if isAllowed(byte) {
                result.unicodeScalars.append(Unicode.Scalar(byte))
            } else {
                result += "%" + Hexadecimal.encode([byte]).uppercased()
            }
        }
        return result
    }
}
