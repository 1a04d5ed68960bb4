import JSON
import OutgoingRequests
import Settings
import XML

/// Where one named value of an answer is.
enum ReadExpression: Sendable {
    /// The texts of what an XPath 1.0 expression finds.
    case xml(XPath)
    /// What a JSON Pointer points to, which has to be there unless it is optional.
    case pointer(JSONPointer, isOptional: Bool)
    /// Whatever a JSONPath finds.
    case path(JSONPath)
    /// A field of `application/x-www-form-urlencoded`.
    case form(String)
    /// A header.
    case header(String)
    /// The whole body, white space around it cut off.
    case text
    /// The status code.
    case status

    /// What a page looks like that somebody else put in between.
    static let page = HTTPAnswer(
        status: 200, headers: [],
        body: Array(
            "<html><head><title>Welcome</title></head><body><h1>Welcome</h1><p>Please sign in.</p></body></html>".utf8))

    /// Whether a value that it finds can only be of the service's own making. A status, a body and a header are anybody's,
    /// and so is what an XPath says of any document, such as `boolean(…)`, `count(…)` or `//*`.
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

    /// Reads one of `read`'s entries: `status`, `text`, or one of `xml`, `json`, `form` and `header`.
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
