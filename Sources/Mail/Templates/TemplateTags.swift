/// The supported tags of a Mustache template: variables, sections, inverted sections and comments.
///
/// The tags are checked before the template is parsed. A misspelt name would otherwise appear only in a reader's
/// message, because Mustache renders an unknown name as nothing.
enum TemplateTags {
    struct TagError: Error, Equatable {
        /// The line number, starting at 1.
        let line: Int
        let expected: String
    }

    /// Checks all tags.
    ///
    /// - Throws: ``TagError`` at the first unsupported tag.
    static func check(_ text: String, variableNames names: Set<String>) throws(TagError) {
        var rest = text[...]
        while let begin = rest.firstRange(of: "{{") {
            let line = 1 + text[..<begin.lowerBound].count { $0.isNewline }
            guard let end = rest[begin.upperBound...].firstRange(of: "}}") else {
                throw TagError(line: line, expected: "expected }} after {{")
            }
            try check(tag: rest[begin.upperBound..<end.lowerBound], line, names)
            rest = rest[end.upperBound...]
            // `{{{name}}}` leaves one more brace.
            if rest.first == "}" { rest = rest.dropFirst() }
        }
    }

    private static func check(tag: Substring, _ line: Int, _ names: Set<String>) throws(TagError) {
        let sigil = tag.first ?? " "
        if sigil == "!" { return }
        if "><$=%*".contains(sigil) {
            throw TagError(line: line, expected: "expected no {{\(sigil), which templates do not support")
        }
        var name = "#^/&{".contains(sigil) ? tag.dropFirst() : tag
        while name.first?.isWhitespace == true { name = name.dropFirst() }
        while name.last?.isWhitespace == true { name = name.dropLast() }
        guard names.contains(String(name)) else {
            let known = names.sorted().map { "{{\($0)}}" }.joined(separator: ", ")
            throw TagError(line: line, expected: "expected one of \(known), not {{\(name)}}")
        }
    }
}
