import Foundation
import JSON
import OutgoingRequests
import Primitives
import Settings
import XML

/// A reader that extracts the named values from a service's response.
struct ResponseReader: Sendable {
    private let entries: [(name: String, expression: ReadExpression)]
    /// The name of the value that a response must contain, or nil when there is none or when that value is
    /// optional.
    private let needed: String?

    /// Reads `read`.
    init(
        _ section: SettingsSection, namespaces: [String: String], requiring needed: String? = nil
    ) throws(SettingsError) {
        let read = try section.section("read")
        var entries: [(name: String, expression: ReadExpression)] = []
        var needed = needed
        for name in read.names where read.has(name) {
            guard PlaceholderTemplate.isName(name) else {
                throw read.error(name, expected: "expected a name of letters, digits, - and _")
            }
            entries.append((name, try ReadExpression(name, in: read, namespaces: namespaces)))
            if name == needed, case .mapping = read.written(name)?.content,
                try read.section(name).boolean("optional", default: false)
            {
                needed = nil
            }
        }
        try read.finish()
        self.entries = entries
        self.needed = needed
    }

    var names: [String] { entries.map(\.name) }

    func expression(_ name: String) -> ReadExpression? { entries.first { $0.name == name }?.expression }

    func values(in response: OutboundResponse) -> ResponseValues {
        var values = ResponseValues()
        let paths = entries.compactMap { entry in
            if case .xml(let path) = entry.expression { (entry.name, path) } else { nil }
        }
        let limits = XMLDocument.Limits(size: max(response.body.count, 1))
        if !paths.isEmpty, let found = try? XPath.values(of: paths.map(\.1), in: response.body, limits: limits) {
            for (path, texts) in zip(paths, found) { values.set(path.0, texts) }
        }
        let needsJSON = entries.contains { entry in
            switch entry.expression {
            case .pointer, .path: true
            default: false
            }
        }
        let json = needsJSON ? try? JSONParser.parse(response.body) : nil
        let text = String(validating: response.body, as: UTF8.self)
        for entry in entries {
            switch entry.expression {
            case .xml: break
            case .pointer(let pointer, let isOptional):
                guard let json else { continue }
                if let found = pointer.value(in: json) {
                    values.set(entry.name, [found])
                } else if isOptional {
                    values.set(entry.name, [String]())
                }
            case .path(let path):
                if let json, let found = try? path.values(in: json) { values.set(entry.name, found) }
            case .form(let field): if let text { values.set(entry.name, FormFields(text).values(field)) }
            case .header(let name): values.set(entry.name, response.values(name))
            case .text:
                if let text { values.set(entry.name, [text.trimmingCharacters(in: .whitespacesAndNewlines)]) }
            case .status: values.set(entry.name, ["\(response.status)"])
            }
        }
        if let needed { values.requireFound(needed) }
        return values
    }
}
