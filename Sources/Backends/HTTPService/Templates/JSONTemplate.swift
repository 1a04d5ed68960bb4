import Gatefold
import JSON
import Primitives
import Settings

/// A JSON body, written as YAML in the configuration. Every text in it is a template, and each remains one JSON
/// string regardless of its values.
///
/// Unquoted numbers, `true`, `false` and empty values become JSON literals. Quoted values are strings.
indirect enum JSONTemplate: Sendable {
    /// A JSON literal, written unchanged.
    case literal(String)
    case text(PlaceholderTemplate)
    case array([JSONTemplate])
    case object([Member])

    struct Member: Sendable {
        let name: String
        let value: JSONTemplate
    }

    init(_ node: SettingsNode, key: String) throws(SettingsError) {
        switch node.content {
        case .nothing: self = .literal("null")
        case .scalar(let text, let isQuoted):
            if !isQuoted, ["true", "false"].contains(text) || JSONValue.isNumber(text) {
                self = .literal(text)
            } else {
                do {
                    self = .text(try PlaceholderTemplate(text))
                } catch {
                    throw SettingsError(origin: node.origin, key: key, expected: "\(error)")
                }
            }
        case .sequence(let items):
            var all: [JSONTemplate] = []
            for item in items { all.append(try JSONTemplate(item, key: key)) }
            self = .array(all)
        case .mapping(let entries):
            var members: [Member] = []
            for entry in entries {
                members.append(
                    Member(name: entry.key, value: try JSONTemplate(entry.value, key: "\(key).\(entry.key)")))
            }
            self = .object(members)
        }
    }

    var names: Set<String> {
        switch self {
        case .literal: []
        case .text(let template): template.names
        case .array(let items): items.reduce(into: []) { $0.formUnion($1.names) }
        case .object(let members): members.reduce(into: []) { $0.formUnion($1.value.names) }
        }
    }

    func render(_ values: TemplateValues) throws(UnsendableValue) -> String {
        switch self {
        case .literal(let text): return text
        case .text(let template): return JSONValue.quoted(try template.render(values, in: .plain))
        case .array(let items):
            var texts: [String] = []
            for item in items { texts.append(try item.render(values)) }
            return "[\(texts.joined(separator: ","))]"
        case .object(let members):
            var texts: [String] = []
            for member in members {
                texts.append("\(JSONValue.quoted(member.name)):\(try member.value.render(values))")
            }
            return "{\(texts.joined(separator: ","))}"
        }
    }
}
