/// The tags of a Mustache template that letters understand: variables, sections, inverted sections and comments.
///
/// Checked before the template is parsed, because it would otherwise show only in a reader's letter that a name is misspelt:
/// to Mustache an unknown name is nothing.
enum TemplateTags {
    struct Mistake: Error, Equatable {
        /// Counted from one.
        let line: Int
        let expected: String
    }

    /// - Throws: ``Mistake`` at the first tag that no letter can have.
    static func check(_ text: String, knowing names: Set<String>) throws(Mistake) {
        var rest = text[...]
        while let begin = rest.firstRange(of: "{{") {
            let line = 1 + text[..<begin.lowerBound].count { $0.isNewline }
            guard let end = rest[begin.upperBound...].firstRange(of: "}}") else {
                throw Mistake(line: line, expected: "expected }} behind {{")
            }
            try check(tag: rest[begin.upperBound..<end.lowerBound], line, names)
            rest = rest[end.upperBound...]
            // Of `{{{name}}}` one brace is left.
            if rest.first == "}" { rest = rest.dropFirst() }
        }
    }

    private static func check(tag: Substring, _ line: Int, _ names: Set<String>) throws(Mistake) {
        let sigil = tag.first ?? " "
        if sigil == "!" { return }
        if "><$=%*".contains(sigil) {
            throw Mistake(line: line, expected: "expected no {{\(sigil), which letters do not have")
        }
        var name = "#^/&{".contains(sigil) ? tag.dropFirst() : tag
        while name.first?.isWhitespace == true { name = name.dropFirst() }
        while name.last?.isWhitespace == true { name = name.dropLast() }
        guard names.contains(String(name)) else {
            let known = names.sorted().map { "{{\($0)}}" }.joined(separator: ", ")
            throw Mistake(line: line, expected: "expected one of \(known), not {{\(name)}}")
        }
    }
}
