import Foundation
import Gatefold
import OutgoingRequests
import Primitives
import Settings

/// The body of a call, in one of the supported formats.
enum BodyTemplate: Sendable {
    case form([(name: String, value: PlaceholderTemplate)])
    case json(JSONTemplate)
    case xml(XMLTemplate, headers: [OutboundRequest.Header])
    case text(PlaceholderTemplate, type: String)

    /// Reads `form`, `json`, `xml`, `soap` or `text`.
    init?(_ section: SettingsSection) throws(SettingsError) {
        let forms = ["form", "json", "xml", "soap", "text"].filter { section.has($0) }
        guard let form = forms.first else { return nil }
        guard forms.count == 1 else {
            throw section.error(forms[1], expected: "expected one body, and there is `\(form)` already")
        }
        switch form {
        case "form":
            self = .form(try section.templates("form"))
        case "json":
            guard let node = section.written("json") else { return nil }
            self = .json(try JSONTemplate(node, key: "\(section.key).json"))
        case "xml":
            self = .xml(
                try section.using("xml") { text throws(TemplateError) in try XMLTemplate(text) },
                headers: [OutboundRequest.Header(name: "Content-Type", value: "application/xml; charset=utf-8")])
        case "soap":
            self = try Self.soap(try section.section("soap"))
        default:
            let text = try section.section("text")
            self = .text(
                try text.using("body") { text throws(TemplateError) in try PlaceholderTemplate(text) },
                type: try text.headerValue("type", default: "text/plain; charset=utf-8"))
            try text.finish()
        }
    }

    private static func soap(_ section: SettingsSection) throws(SettingsError) -> BodyTemplate {
        let version: SOAPEnvelope.Version = try section.choice("version", default: .v11)
        let action = try section.headerValue("action", default: "")
        guard !action.contains(where: { "\"\\".contains($0) }) else {
            throw section.error("action", expected: "expected a URI")
        }
        let header = try section.string("header")
        let template = try section.using("body") { body throws(TemplateError) in
            do throws(TemplateError) {
                return try XMLTemplate(SOAPEnvelope.wrap(body, header: header, version: version))
            } catch {
                // The position is the one in the envelope.
                throw TemplateError(expected: error.expected)
            }
        }
        try section.finish()
        return .xml(template, headers: SOAPEnvelope.headers(action: action, version: version))
    }

    /// Returns whether a body of this type has no syntax, so that a value written unchanged cannot be read as
    /// anything but a value.
    static func isPlain(_ type: String) -> Bool {
        let name = type.prefix { $0 != ";" }.trimmingCharacters(in: .whitespaces).lowercased()
        return ["text/plain", "application/octet-stream"].contains(name)
    }

    var names: Set<String> {
        switch self {
        case .form(let fields): fields.reduce(into: []) { $0.formUnion($1.value.names) }
        case .json(let template): template.names
        case .xml(let template, _): template.names
        case .text(let template, _): template.names
        }
    }

    func render(_ values: TemplateValues) throws(UnsendableValue) -> (bytes: [UInt8], headers: [OutboundRequest.Header])
    {
        func typed(_ type: String) -> [OutboundRequest.Header] {
            [OutboundRequest.Header(name: "Content-Type", value: type)]
        }
        switch self {
        case .form(let fields):
            var pairs: [String] = []
            for field in fields {
                let value = field.value.mapLiterals { TemplateContext.formEncoded($0) }
                pairs.append("\(TemplateContext.formEncoded(field.name))=\(try value.render(values, in: .form))")
            }
            return (Array(pairs.joined(separator: "&").utf8), typed("application/x-www-form-urlencoded"))
        case .json(let template):
            return (Array(try template.render(values).utf8), typed("application/json"))
        case .xml(let template, let headers):
            return (Array(try template.render(values).utf8), headers)
        case .text(let template, let type):
            return (Array(try template.render(values, in: .line).utf8), typed(type))
        }
    }
}
