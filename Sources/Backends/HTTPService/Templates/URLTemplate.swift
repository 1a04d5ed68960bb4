import Foundation
import Gatefold
import OutgoingRequests
import Primitives

/// The URL of a call. A value cannot change the server or the depth of the path, only the content of segments and
/// query values.
struct URLTemplate: Sendable {
    /// One `name=value` of the query.
    private struct Parameter: Sendable {
        /// The name as written in the URL.
        let name: String
        let value: PlaceholderTemplate
    }

    /// The scheme and the authority.
    private let origin: String
    /// The segments between the slashes of the path.
    private let segments: [PlaceholderTemplate]
    private let query: [Parameter]

    /// Creates the template.
    ///
    /// - Parameters:
    ///   - text: a whole URL, or the part after `base`: empty, or beginning with `/` or `?`.
    ///   - base: the base URL, which may have a query of its own.
    ///   - parameters: parameters added to the query, except those whose names it already has.
    init(
        _ text: String, base: ServiceURL?, parameters: [(name: String, value: PlaceholderTemplate)] = []
    ) throws(TemplateError) {
        // Checks the whole text first, because an error has the position in it.
        _ = try PlaceholderTemplate(text)
        let absolute = try Self.absolute(text, base: base)
        guard let separator = absolute.firstRange(of: "://") else { throw Self.notAURL }
        let pathStart = absolute[separator.upperBound...].firstIndex { $0 == "/" || $0 == "?" } ?? absolute.endIndex
        origin = String(absolute[..<pathStart])
        guard ServiceURL(origin) != nil else { throw Self.notAURL }
        let path = absolute[pathStart...].prefix { $0 != "?" }
        var segments: [PlaceholderTemplate] = []
        for segment in path.split(separator: "/", omittingEmptySubsequences: false).dropFirst() {
            segments.append(try PlaceholderTemplate(String(segment)))
        }
        self.segments = segments
        var query: [Parameter] = []
        for pair in absolute[path.endIndex...].dropFirst().split(separator: "&") {
            let parts = pair.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            guard !parts[0].contains("{") else {
                throw TemplateError(
                    expected: "values only, not names, between `{` and `}` in the query")
            }
            query.append(
                Parameter(name: String(parts[0]), value: try PlaceholderTemplate(String(parts.dropFirst().joined()))))
        }
        let present = Set(query.map(\.name))
        for parameter in parameters {
            let name = TemplateContext.percentEncoded(parameter.name)
            if present.contains(name) { continue }
            query.append(Parameter(name: name, value: parameter.value.mapLiterals(TemplateContext.percentEncoded)))
        }
        self.query = query
        // The literal parts must form a valid URL, too.
        let samples = Dictionary(names.map { ($0, "x") }) { first, _ in first }
        guard (try? url(TemplateValues(samples))) != nil else { throw Self.notAURL }
    }

    private static let notAURL = TemplateError(
        expected: "an http or https URL without user name, password or fragment, escaped as RFC 3986 says, "
            + "with `{name}` in its path and query only")

    private static func absolute(_ text: String, base: ServiceURL?) throws(TemplateError) -> String {
        guard text.isEmpty || text.hasPrefix("/") || text.hasPrefix("?") else { return text }
        guard let base else { throw TemplateError(expected: "`base`, or a complete URL") }
        let baseParts = base.text.split(separator: "?", maxSplits: 1, omittingEmptySubsequences: false)
        let parts = text.split(separator: "?", maxSplits: 1, omittingEmptySubsequences: false)
        let more = parts.first ?? ""
        let path = more.isEmpty ? String(baseParts[0]) : String(baseParts[0].trimmingSuffix { $0 == "/" }) + more
        let query = (baseParts.dropFirst() + parts.dropFirst()).filter { !$0.isEmpty }.joined(separator: "&")
        return query.isEmpty ? path : "\(path)?\(query)"
    }

    var names: Set<String> {
        (segments + query.map(\.value)).reduce(into: []) { $0.formUnion($1.names) }
    }

    /// Returns whether a segment contains `.` or `..`, with or without escapes. Servers remove these segments (RFC
    /// 3986 section 5.2.4), and some do so after decoding an escaped slash, or after reading a backslash as a
    /// slash.
    private static func containsDotSegment(_ segment: String) -> Bool {
        guard let text = segment.removingPercentEncoding else { return true }
        return text.split(whereSeparator: { "/\\".contains($0) }).contains { [".", ".."].contains($0) }
    }

    /// Renders the URL.
    ///
    /// - Throws: ``UnsendableValue``, also for a segment that would change the path.
    func url(_ values: TemplateValues) throws(UnsendableValue) -> ServiceURL {
        var text = origin
        for segment in segments {
            let rendered = try segment.render(values, in: .path)
            guard segment.names.isEmpty || !Self.containsDotSegment(rendered) else { throw UnsendableValue() }
            text += "/" + rendered
        }
        var separator = "?"
        for parameter in query {
            text += "\(separator)\(parameter.name)=\(try parameter.value.render(values, in: .query))"
            separator = "&"
        }
        guard let url = ServiceURL(text) else { throw UnsendableValue() }
        return url
    }
}

extension Substring {
    fileprivate func trimmingSuffix(while predicate: (Character) -> Bool) -> Substring {
        var rest = self
        while let last = rest.last, predicate(last) { rest.removeLast() }
        return rest
    }
}
