import Foundation
import Gatefold
import Settings
import XML

/// Takes the named values out of a service's answer.
struct AnswerReader: Sendable {
    private let entries: [(name: String, expression: ReadExpression)]

    /// Reads `read`.
    init(_ section: SettingsSection, namespaces: [String: String]) throws(SettingsError) {
        let read = try section.section("read")
        var entries: [(name: String, expression: ReadExpression)] = []
        for name in read.names where read.has(name) {
            guard Template.isName(name) else {
                throw read.error(name, expected: "expected a name of letters, digits, - and _")
            }
            entries.append((name, try ReadExpression(name, in: read, namespaces: namespaces)))
        }
        try read.finish()
        self.entries = entries
    }

    var names: [String] { entries.map(\.name) }

    /// What was found, by name. A name with an empty list was looked for and has no value, which is not the same as an
    /// empty one; a name that is missing could not be looked for, because the answer is not of the kind its expression reads.
    func values(in answer: HTTPAnswer) -> [String: [String]] {
        var values: [String: [String]] = [:]
        let paths = entries.compactMap { entry in
            if case .xml(let path) = entry.expression { (entry.name, path) } else { nil }
        }
        let limits = XMLDocument.Limits(size: max(answer.body.count, 1))
        if !paths.isEmpty, let found = try? XPath.values(of: paths.map(\.1), in: answer.body, limits: limits) {
            for (path, texts) in zip(paths, found) { values[path.0] = texts }
        }
        let needsJSON = entries.contains { entry in
            switch entry.expression {
            case .pointer, .path: true
            default: false
            }
        }
        let json = needsJSON ? try? JSONParser.parse(answer.body) : nil
        let text = String(validating: answer.body, as: UTF8.self)
        for entry in entries {
            switch entry.expression {
            case .xml: break
            case .pointer(let pointer, let isOptional):
                values[entry.name] = json.flatMap { json in
                    pointer.value(in: json).map { Self.texts([$0]) } ?? (isOptional ? [] : nil)
                }
            case .path(let path): values[entry.name] = json.flatMap { try? path.values(in: $0) }.flatMap(Self.texts)
            case .form(let field): values[entry.name] = text.map { FormFields($0).values(field) }
            case .header(let name): values[entry.name] = answer.values(name)
            case .text: values[entry.name] = text.map { [$0.trimmingCharacters(in: .whitespacesAndNewlines)] }
            case .status: values[entry.name] = ["\(answer.status)"]
            }
        }
        return values
    }

    /// An array stands for its items; null for no value. Nil for what is no text, such as an object.
    private static func texts(_ values: [JSONValue]) -> [String]? {
        var texts: [String] = []
        for value in values {
            switch value {
            case .null: break
            case .boolean(let value): texts.append(value ? "true" : "false")
            case .number(let text), .string(let text): texts.append(text)
            case .array(let items):
                for item in items {
                    switch item {
                    case .null: break
                    case .boolean(let value): texts.append(value ? "true" : "false")
                    case .number(let text), .string(let text): texts.append(text)
                    case .array, .object: return nil
                    }
                }
            case .object: return nil
            }
        }
        return texts
    }
}
