/// Texts from outside, made safe to print: a server may not write to the terminal of whoever checks it.
enum Printable {
    /// In quotation marks, with controls escaped, and no longer than a line.
    static func quote(_ text: some StringProtocol, longest: Int = 80) -> String {
        let shown = clean(text.prefix(longest))
        return "“\(shown)\(text.count > longest ? "…" : "")”"
    }

    /// Without characters that move a cursor, change a direction or can not be seen.
    static func clean(_ text: some StringProtocol) -> String {
        var result = ""
        for scalar in text.unicodeScalars {
            switch scalar.properties.generalCategory {
            case .control, .format, .surrogate, .privateUse, .unassigned, .lineSeparator, .paragraphSeparator:
                result += "\\u{\(String(scalar.value, radix: 16))}"
            default: result.unicodeScalars.append(scalar)
            }
        }
        return result
    }
}
