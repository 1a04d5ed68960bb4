import Foundation

/// A text with `{name}` as a placeholder for a value. `{{` and `}}` are escapes for literal braces.
struct Template: Sendable, Equatable {
    enum Part: Sendable, Equatable {
        case literal(String)
        case value(String)
    }

    let parts: [Part]

    /// An error for a text that is not a template, or that is not allowed in its position.
    struct InvalidTemplate: Error, Equatable {
        let expected: String
    }

    init(_ text: String) throws(InvalidTemplate) {
        var parts: [Part] = []
        var literal = ""
        var rest = text[...]
        while let character = rest.popFirst() {
            switch character {
            case "{" where rest.first == "{", "}" where rest.first == "}":
                rest.removeFirst()
                literal.append(character)
            case "{":
                guard let end = rest.firstIndex(of: "}") else {
                    throw InvalidTemplate(expected: "expected `}` after `{`, or `{{` for the brace itself")
                }
                let name = String(rest[..<end])
                guard Self.isName(name) else {
                    throw InvalidTemplate(expected: "expected a name of letters, digits, - and _ between `{` and `}`")
                }
                if !literal.isEmpty { parts.append(.literal(literal)) }
                literal = ""
                parts.append(.value(name))
                rest = rest[rest.index(after: end)...]
            case "}":
                throw InvalidTemplate(expected: "expected `{` before `}`, or `}}` for the brace itself")
            default:
                literal.append(character)
            }
        }
        if !literal.isEmpty { parts.append(.literal(literal)) }
        self.parts = parts
    }

    init(parts: [Part]) {
        self.parts = parts
    }

    static func isName(_ text: String) -> Bool {
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
    var names: Set<String> {
        Set(parts.compactMap { part in if case .value(let name) = part { name } else { nil } })
    }

    func mapLiterals(_ change: (String) -> String) -> Template {
        Template(
            parts: parts.map { part in if case .literal(let text) = part { .literal(change(text)) } else { part } })
    }

    /// Returns the text with each value encoded for its place.
    ///
    /// - Throws: ``UnsendableValue`` for a value that is missing or that the place cannot carry.
    func render(_ values: TemplateValues, in place: TemplateContext) throws(UnsendableValue) -> String {
        var text = ""
        for part in parts {
            switch part {
            case .literal(let literal): text += literal
            case .value(let name): text += try place.write(try values.value(name))
            }
        }
        return text
    }
}

/// The values of templates, by name.
struct TemplateValues: Sendable {
    var values: [String: String]

    init(_ values: [String: String] = [:]) {
        self.values = values
    }

    func value(_ name: String) throws(UnsendableValue) -> String {
        guard let value = values[name] else { throw UnsendableValue(name: name) }
        return value
    }

    func adding(_ more: [String: String]) -> TemplateValues {
        TemplateValues(values.merging(more) { $1 })
    }
}
