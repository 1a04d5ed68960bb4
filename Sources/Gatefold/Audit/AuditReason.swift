/// The reason that a person gives for an audited action.
package struct AuditReason: Sendable, Hashable, CustomStringConvertible {
    package static let maxBytes = 500

    package let description: String

    /// - Parameter text: 1 to ``maxBytes`` bytes without control characters, line breaks and e-mail addresses. An entry
    ///   cannot be erased, so it must not name a reader. Nil is returned for another text.
    package init?(_ text: String) {
        guard AuditText.isAcceptable(text, maxBytes: Self.maxBytes), !Self.containsAddress(text) else { return nil }
        description = text
    }

    /// Returns whether a character other than white space precedes and follows an `@`, or one of its wide and small forms.
    private static func containsAddress(_ text: String) -> Bool {
        let scalars = Array(text.unicodeScalars)
        return scalars.indices.dropFirst().dropLast().contains { index in
            ["@", "\u{FF20}", "\u{FE6B}"].contains(scalars[index])
                && !scalars[index - 1].properties.isWhitespace && !scalars[index + 1].properties.isWhitespace
        }
    }
}
