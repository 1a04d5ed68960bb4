/// A text with placeholders, for example `{identifier}` in `(mail={identifier})`. Doubled braces are literal braces.
///
/// The caller escapes each value for the format of the text, or passes it separately, as SQL parameters are.
package struct PlaceholderTemplate: Sendable, Equatable {
    package enum Part: Sendable, Equatable {
        case literal(String)
        case placeholder(String)
    }

    package let parts: [Part]

    /// - Throws: ``TemplateError`` with the position of a brace or a name that is not a placeholder.
    package init(_ text: String) throws(TemplateError) {
        var parts: [Part] = []
        var literal = ""
        var rest = text[...]
        func error(at index: Substring.Index, _ expected: String) -> TemplateError {
            TemplateError(position: text.distance(from: text.startIndex, to: index), expected: expected)
        }
        while let character = rest.first {
            let start = rest.startIndex
            rest.removeFirst()
            switch character {
            case "{" where rest.first == "{", "}" where rest.first == "}":
                rest.removeFirst()
                literal.append(character)
            case "{":
                guard let end = rest.firstIndex(of: "}") else {
                    throw error(at: start, "`}` after `{`, or `{{` for the brace itself")
                }
                let name = String(rest[..<end])
                guard Self.isName(name) else {
                    throw error(at: start, "a name of letters, digits, - and _ between `{` and `}`")
                }
                if !literal.isEmpty { parts.append(.literal(literal)) }
                literal = ""
                parts.append(.placeholder(name))
                rest = rest[rest.index(after: end)...]
            case "}":
                throw error(at: start, "`{` before `}`, or `}}` for the brace itself")
            default:
                literal.append(character)
            }
        }
        if !literal.isEmpty { parts.append(.literal(literal)) }
        self.parts = parts
    }

    package init(parts: [Part]) {
        self.parts = parts
    }

    package static func isName(_ text: String) -> Bool {
        !text.isEmpty
            && text.utf8.allSatisfy { byte in
                switch byte {
                case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                    UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "_"), UInt8(ascii: "-"):
                    true
                default: false
                }
            }
    }

    /// The names of the placeholders.
    package var names: Set<String> {
        Set(parts.compactMap { part in if case .placeholder(let name) = part { name } else { nil } })
    }

    package func mapLiterals(_ change: (String) -> String) -> PlaceholderTemplate {
        PlaceholderTemplate(
            parts: parts.map { part in if case .literal(let text) = part { .literal(change(text)) } else { part } })
    }

    /// Returns the text with the placeholders replaced.
    ///
    /// - Parameter value: Returns the escaped value of a placeholder. Called for each occurrence, from left to right.
    package func render<Failure>(_ value: (String) throws(Failure) -> String) throws(Failure) -> String {
        var text = ""
        for part in parts {
            switch part {
            case .literal(let literal): text += literal
            case .placeholder(let name): text += try value(name)
            }
        }
        return text
    }
}

/// An error in a template.
package struct TemplateError: Error, Equatable, CustomStringConvertible {
    /// The offset in characters from the start; nil if the whole template is meant.
    package var position: Int?
    package let expected: String

    package init(position: Int? = nil, expected: String) {
        self.position = position
        self.expected = expected
    }

    package var description: String {
        position.map { "expected \(expected) at character \($0 + 1)" } ?? "expected \(expected)"
    }
}
