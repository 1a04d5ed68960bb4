import JSON
import OutgoingRequests
import Settings
import XML

/// An expression that locates one named value in a response.
enum ReadExpression: Sendable {
    /// The texts that an XPath 1.0 expression finds.
    case xml(XPath)
    /// The value that a JSON Pointer points to. The value must exist unless it is optional.
    case pointer(JSONPointer, isOptional: Bool)
    /// The values that a JSONPath finds.
    case path(JSONPath)
    /// A field of `application/x-www-form-urlencoded`.
    case form(String)
    /// A header.
    case header(String)
    /// The whole body, without surrounding white space.
    case text
    /// The status code.
    case status

    /// An example of a page that an intermediary, such as a captive portal, returns in place of the service's
    /// response.
    static let page = OutboundResponse(
        status: 200, headers: [],
        body: Array(
            "<html><head><title>Welcome</title></head><body><h1>Welcome</h1><p>Please sign in.</p></body></html>".utf8))

    /// A Boolean value that indicates whether a found value can only come from the service. Any server can send a
    /// status, a body or a header. An XPath that gives a value for any document, such as `boolean(…)`, `count(…)`
    /// or `//*`, is no evidence either.
    var isEvidence: Bool {
        switch self {
        case .status, .text, .header: false
        case .pointer, .path, .form: true
        case .xml(let path):
            ((try? XPath.values(of: [path], in: Self.page.body)) ?? [[]]).joined().allSatisfy { text in
                text.allSatisfy(\.isWhitespace)
            }
        }
    }

    /// Reads one entry of `read`: `status`, `text`, or one of `xml`, `json`, `form` and `header`.
    init(_ name: String, in section: SettingsSection, namespaces: [String: String]) throws(SettingsError) {
        let forms = "expected `status`, `text`, or one of `xml`, `json`, `form` and `header` with where the value is"
        if case .scalar(let word, _) = section.written(name)?.content {
            switch word {
            case "status": self = .status
            case "text": self = .text
            default: throw section.error(name, expected: forms)
            }
            return
        }
        let place = try section.section(name)
        let isOptional = try place.boolean("optional", default: false)
        let rest = place.names.filter { $0 != "optional" }
        guard rest.count == 1, let form = rest.first, let text = try place.string(form) else {
            throw section.error(name, expected: forms)
        }
        switch form {
        case "xml":
            guard let path = try? XPath(text, namespaces: namespaces) else {
                throw place.error(form, expected: "expected an XPath 1.0 expression, and `namespaces` for its prefixes")
            }
            self = .xml(path)
        case "json":
            if text.hasPrefix("$") {
                guard let path = JSONPath(text) else {
                    throw place.error(form, expected: "expected a JSONPath of names, indices, wildcards and one filter")
                }
                self = .path(path)
            } else {
                guard let pointer = JSONPointer(text) else {
                    throw place.error(form, expected: "expected a JSON Pointer such as /session/token, or a JSONPath")
                }
                self = .pointer(pointer, isOptional: isOptional)
            }
        case "form": self = .form(text)
        case "header": self = .header(text)
        default: throw section.error(name, expected: forms)
        }
        try place.finish()
    }
}
