/// Texts from outside, made safe to print: a server may not write to the terminal of whoever checks it.
enum Printable {
    /// What a server said, in quotation marks and no longer than a line.
    static func quote(_ text: some StringProtocol, longest: Int = 80) -> String {
        let scalars = hidden(text).unicodeScalars
        let end = scalars.index(scalars.startIndex, offsetBy: longest, limitedBy: scalars.endIndex) ?? scalars.endIndex
        var shown = ""
        for scalar in scalars[..<end] {
            // What ends a quotation is nobody's but ours.
            if "“”".unicodeScalars.contains(scalar) { shown += escape(scalar) } else { write(scalar, to: &shown) }
        }
        return "“\(shown)\(end == scalars.endIndex ? "" : "…")”"
    }

    /// What a server said, as part of a sentence.
    static func told(_ text: some StringProtocol) -> String { clean(hidden(text)) }

    /// So much of what a server said is looked at, in scalars: one character may be a letter with a million accents.
    private static let mostLookedAt = 1_000

    private static func hidden(_ text: some StringProtocol) -> String {
        let scalars = text.unicodeScalars
        let end = scalars.index(scalars.startIndex, offsetBy: mostLookedAt, limitedBy: scalars.endIndex)
        let isCut = end.map { $0 != scalars.endIndex } ?? false
        let looked = String(String.UnicodeScalarView(scalars[..<(end ?? scalars.endIndex)]))
        guard let redaction = Redaction.current else { return looked }
        let hidden = redaction.hidden(looked)
        // What stands at a cut may be the beginning of something secret.
        return isCut ? String(String.UnicodeScalarView(hidden.unicodeScalars.dropLast(16))) : hidden
    }

    /// No longer than a few lines.
    static func shortened(_ text: String, longest: Int = 500) -> String {
        let scalars = text.unicodeScalars
        guard let end = scalars.index(scalars.startIndex, offsetBy: longest, limitedBy: scalars.endIndex),
            end != scalars.endIndex
        else { return text }
        return String(scalars[..<end]) + "…"
    }

    /// What we say ourselves, of what we were given: without characters that move a cursor, change a direction or can not be seen.
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
