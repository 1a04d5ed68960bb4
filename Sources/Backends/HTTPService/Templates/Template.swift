import Foundation

/// A text with `{name}` in it where a value goes; `{{` and `}}` stand for the braces themselves.
struct Template: Sendable, Equatable {
    enum Part: Sendable, Equatable {
        case literal(String)
        case value(String)
    }

    let parts: [Part]

    /// Why a text is no template, or one that can not stand where it does.
    struct Unusable: Error, Equatable {
        let expected: String
    }

    init(_ text: String) throws(Unusable) {
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
                    throw Unusable(expected: "expected `}` after `{`, or `{{` for the brace itself")
                }
                let name = String(rest[..<end])
                guard Self.isName(name) else {
                    throw Unusable(expected: "expected a name of letters, digits, - and _ between `{` and `}`")
                }
                if !literal.isEmpty { parts.append(.literal(literal)) }
                literal = ""
                parts.append(.value(name))
                rest = rest[rest.index(after: end)...]
            case "}":
                throw Unusable(expected: "expected `{` before `}`, or `}}` for the brace itself")
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

    /// The names of the values that go into it.
    var names: Set<String> {
        Set(parts.compactMap { part in if case .value(let name) = part { name } else { nil } })
    }

    func mapLiterals(_ change: (String) -> String) -> Template {
        Template(
            parts: parts.map { part in if case .literal(let text) = part { .literal(change(text)) } else { part } })
    }

    /// The text with each value written as its place demands.
    ///
    /// - Throws: ``Unsendable``.
    func render(_ values: TemplateValues, in place: TemplatePlace) throws(Unsendable) -> String {
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

/// What goes into templates, by name.
struct TemplateValues: Sendable {
    var values: [String: String]

    init(_ values: [String: String] = [:]) {
        self.values = values
    }

    func value(_ name: String) throws(Unsendable) -> String {
        guard let value = values[name] else { throw Unsendable(name: name) }
        return value
    }

    func adding(_ more: [String: String]) -> TemplateValues {
        TemplateValues(values.merging(more) { $1 })
    }
}
