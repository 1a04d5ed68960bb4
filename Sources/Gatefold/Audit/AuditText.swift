/// The rule for texts in the audit log: a bounded length, and no characters that would let one entry look like several.
enum AuditText {
    /// Returns whether a text can be stored unchanged.
    ///
    /// - Parameter maxBytes: The maximum length in bytes of UTF-8. The minimum is 1.
    static func isAcceptable(_ text: String, maxBytes: Int) -> Bool {
        (1...maxBytes).contains(text.utf8.count) && text.unicodeScalars.allSatisfy(isAcceptable)
    }

    /// Returns a text with a replacement for each character that is not acceptable, cut to the maximum length.
    static func replacing(_ text: String, maxBytes: Int) -> String {
        var result = ""
        for scalar in text.unicodeScalars {
            let next = isAcceptable(scalar) ? scalar : "\u{FFFD}"
            guard result.utf8.count + String(next).utf8.count <= maxBytes else { break }
            result.unicodeScalars.append(next)
        }
        return result.isEmpty ? "\u{FFFD}" : result
    }

    /// Control characters and separators of lines would break a terminal or a line-based export. Controls of the writing
    /// direction would display a text in another order than it has.
    private static func isAcceptable(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.properties.generalCategory {
        case .control, .lineSeparator, .paragraphSeparator: false
        default: !scalar.properties.isBidiControl
        }
    }
}
