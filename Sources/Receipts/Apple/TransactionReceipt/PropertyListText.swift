/// A value of an old-style property list: NeXTSTEP's text format, older than XML.
///
///     { "purchase-info" = "ewoJ…"; pod = 100; }
enum PropertyListText: Sendable, Equatable {
    case text(String)
    case array([PropertyListText])
    case dictionary([String: PropertyListText])

    static let maxDepth = 8
    static let maxValues = 1_000
    /// The maximum size in bytes.
    static let maxLength = 1 << 20

    subscript(key: String) -> String? {
        guard case .dictionary(let entries) = self, case .text(let text) = entries[key] else { return nil }
        return text
    }

    /// Parses a value.
    ///
    /// - Throws: ``PropertyListTextError`` if the bytes are not exactly one such value.
    init(parsing bytes: some Sequence<UInt8>) throws(PropertyListTextError) {
        var parser = try PropertyListTextParser(bytes)
        self = try parser.only()
    }
}

enum PropertyListTextError: Error, Equatable {
    case malformed
    case tooDeep
    case tooMuch
    /// Two entries of a dictionary have the same key. Parsers differ in which entry they use.
    case duplicateKey
}
