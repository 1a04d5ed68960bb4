/// Texts from outside, made safe to print: a server may not write to the terminal of whoever checks it.
enum Printable {
    /// In quotation marks, with controls escaped, and no longer than a line.
    static func quote(_ text: some StringProtocol, longest: Int = 80) -> String {
        // By scalars: one character may be a letter with a million accents.
        let scalars = text.unicodeScalars
        let isLonger = scalars.index(scalars.startIndex, offsetBy: longest + 1, limitedBy: scalars.endIndex) != nil
        var shown = ""
        for scalar in scalars.prefix(longest) {
            // What ends a quotation is nobody's but ours.
            if "“”".unicodeScalars.contains(scalar) { shown += escape(scalar) } else { write(scalar, to: &shown) }
        }
        return "“\(shown)\(isLonger ? "…" : "")”"
    }

    /// No longer than a few lines.
    static func shortened(_ text: String, longest: Int = 500) -> String {
        let scalars = text.unicodeScalars
        guard let end = scalars.index(scalars.startIndex, offsetBy: longest, limitedBy: scalars.endIndex),
            end != scalars.endIndex
        else { return text }
        return String(scalars[..<end]) + "…"
    }

    /// Without characters that move a cursor, change a direction or can not be seen.
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
