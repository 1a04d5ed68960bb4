/// A value of an old-style property list: the text format that NeXTSTEP had before XML.
///
///     { "purchase-info" = "ewoJ…"; pod = 100; }
enum PropertyListText: Sendable, Equatable {
    case text(String)
    case array([PropertyListText])
    case dictionary([String: PropertyListText])

    static let deepest = 8
    static let mostValues = 1_000
    /// In bytes.
    static let longest = 1 << 20

    subscript(key: String) -> String? {
        guard case .dictionary(let entries) = self, case .text(let text) = entries[key] else { return nil }
        return text
    }

    /// - Throws: ``PropertyListTextError`` for anything that is not exactly one such value.
    init(parsing bytes: some Sequence<UInt8>) throws(PropertyListTextError) {
        var parser = try PropertyListTextParser(bytes)
        self = try parser.only()
    }
}

enum PropertyListTextError: Error, Equatable {
    case malformed
    case tooDeep
    case tooMuch
    /// Two entries of a dictionary have the same key: readers differ in which counts.
    case duplicateKey
}
