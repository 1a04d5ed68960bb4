/// A filter for text from outside. A server must not be able to control the terminal on which the report is
/// printed.
enum Printable {
    /// Returns a text from a server in quotation marks, shortened to one line.
    static func quote(_ text: some StringProtocol, maxLength: Int = 80) -> String {
        let scalars = hidden(text).unicodeScalars
        let end =
            scalars.index(scalars.startIndex, offsetBy: maxLength, limitedBy: scalars.endIndex) ?? scalars.endIndex
        var shown = ""
        for scalar in scalars[..<end] {
            // Only this function may end a quotation, so quotation marks in the text are escaped.
            if "“”".unicodeScalars.contains(scalar) { shown += escape(scalar) } else { write(scalar, to: &shown) }
        }
        return "“\(shown)\(end == scalars.endIndex ? "" : "…")”"
    }

    /// Returns a text from a server as part of a sentence.
    static func redacted(_ text: some StringProtocol) -> String { clean(hidden(text)) }

    /// The maximum number of scalars of a server's text that are processed. A character count would not limit it,
    /// because one character may be a letter with a million accents.
    private static let maxScanned = 1_000

    private static func hidden(_ text: some StringProtocol) -> String {
        let scalars = text.unicodeScalars
        let end = scalars.index(scalars.startIndex, offsetBy: maxScanned, limitedBy: scalars.endIndex)
        let isTruncated = end.map { $0 != scalars.endIndex } ?? false
        let visible = String(String.UnicodeScalarView(scalars[..<(end ?? scalars.endIndex)]))
        guard let redaction = Redaction.current else { return visible }
        let hidden = redaction.hidden(visible)
        // The text before a cut may be the beginning of a secret.
        return isTruncated ? String(String.UnicodeScalarView(hidden.unicodeScalars.dropLast(16))) : hidden
    }

    /// Returns the text, shortened to a few lines.
    static func shortened(_ text: String, maxLength: Int = 500) -> String {
        let scalars = text.unicodeScalars
        guard let end = scalars.index(scalars.startIndex, offsetBy: maxLength, limitedBy: scalars.endIndex),
            end != scalars.endIndex
        else { return text }
        return String(scalars[..<end]) + "…"
    }

    /// Returns the checker's own text, which contains input, without characters that move a cursor, change the
    /// direction or are invisible.
    static func clean(_ text: some StringProtocol) -> String {
        var result = ""
        for scalar in text.unicodeScalars { write(scalar, to: &result) }
        return result
    }

    private static func write(_ scalar: Unicode.Scalar, to text: inout String) {
        switch scalar.properties.generalCategory {
        case .control, .format, .surrogate, .privateUse, .unassigned, .lineSeparator, .paragraphSeparator:
            text += escape(scalar)
        default: text.unicodeScalars.append(scalar)
        }
    }

    private static func escape(_ scalar: Unicode.Scalar) -> String { "\\u{\(String(scalar.value, radix: 16))}" }
}
