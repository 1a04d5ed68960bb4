/// The grammar of search filters (RFC 4515 section 3), to the extent needed to detect a malformed filter.
public enum FilterSyntax {
    /// The maximum depth of a filter. Deeper filters are rejected, because real filters are shallower and each
    /// level is a recursive call.
    static let maxDepth = 32

    public static func isValid(_ filter: String) -> Bool {
        var rest = Array(filter.utf8)[...]
        return takeFilter(&rest, depth: 0) && rest.isEmpty
    }

    private static func takeFilter(_ rest: inout ArraySlice<UInt8>, depth: Int) -> Bool {
        guard depth < maxDepth, rest.popFirst() == UInt8(ascii: "("), let first = rest.first else { return false }
        switch first {
        case UInt8(ascii: "&"), UInt8(ascii: "|"):
            rest.removeFirst()
            while rest.first == UInt8(ascii: "(") {
                guard takeFilter(&rest, depth: depth + 1) else { return false }
            }
        case UInt8(ascii: "!"):
            rest.removeFirst()
            guard takeFilter(&rest, depth: depth + 1) else { return false }
        default:
            guard takeItem(&rest) else { return false }
        }
        return rest.popFirst() == UInt8(ascii: ")")
    }

    /// Consumes an attribute, a comparison and a value.
    private static func takeItem(_ rest: inout ArraySlice<UInt8>) -> Bool {
        let attribute = rest.prefix { isAttributeLetter($0) }
        rest = rest.dropFirst(attribute.count)
        if let sign = rest.first, "~<>".utf8.contains(sign) { rest.removeFirst() }
        guard !attribute.isEmpty, rest.popFirst() == UInt8(ascii: "=") else { return false }
        let value = rest.prefix { $0 != UInt8(ascii: ")") }
        rest = rest.dropFirst(value.count)
        let pieces = value.split(separator: UInt8(ascii: "*"), omittingEmptySubsequences: false)
        return pieces.allSatisfy { FilterValue.unescape(String(decoding: $0, as: UTF8.self)) != nil }
    }

    /// Returns true for letters, digits and hyphens, `.` of object identifiers, `;` of options, and `:` of
    /// extensible matches.
    private static func isAttributeLetter(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"):
            true
        default: "-.;:".utf8.contains(byte)
        }
    }
}
