import Foundation
import OutgoingRequests

/// The URL of a call: where it leads can not be chosen by a value, only what is asked there.
struct URLTemplate: Sendable {
    /// One `name=value` of the query.
    private struct Parameter: Sendable {
        /// As it stands in the URL.
        let name: String
        let value: Template
    }

    /// The scheme and the authority.
    private let origin: String
    /// What stands between the slashes of the path.
    private let segments: [Template]
    private let query: [Parameter]

    /// - Parameters:
    ///   - text: a whole URL, or what follows `base`: empty, or beginning with `/` or `?`.
    ///   - base: may have a query of its own.
    ///   - parameters: added to the query, but for those whose names it already has.
    init(
        _ text: String, base: ServiceURL?, parameters: [(name: String, value: Template)] = []
    ) throws(Template.Unusable) {
        let whole = try Self.whole(text, base: base)
        guard let separator = whole.firstRange(of: "://") else { throw Self.notAURL }
        let pathStart = whole[separator.upperBound...].firstIndex { $0 == "/" || $0 == "?" } ?? whole.endIndex
        origin = String(whole[..<pathStart])
        guard ServiceURL(origin) != nil else { throw Self.notAURL }
        let path = whole[pathStart...].prefix { $0 != "?" }
        var segments: [Template] = []
        for segment in path.split(separator: "/", omittingEmptySubsequences: false).dropFirst() {
            segments.append(try Template(String(segment)))
        }
        self.segments = segments
        var query: [Parameter] = []
        for pair in whole[path.endIndex...].dropFirst().split(separator: "&") {
            let parts = pair.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            guard !parts[0].contains("{") else {
                throw Template.Unusable(expected: "expected values only, not names, between `{` and `}` in the query")
            }
            query.append(Parameter(name: String(parts[0]), value: try Template(String(parts.dropFirst().joined()))))
        }
        let present = Set(query.map(\.name))
        for parameter in parameters {
            let name = TemplatePlace.percentEncoded(parameter.name)
            if present.contains(name) { continue }
            query.append(Parameter(name: name, value: parameter.value.mapLiterals(TemplatePlace.percentEncoded)))
        }
        self.query = query
        // What is literal must make a URL, too.
        let samples = Dictionary(names.map { ($0, "x") }) { first, _ in first }
        guard (try? url(TemplateValues(samples))) != nil else { throw Self.notAURL }
    }

    private static let notAURL = Template.Unusable(
        expected: "expected an http or https URL without user name, password or fragment, escaped as RFC 3986 says, "
            + "with `{name}` in its path and query only")

    private static func whole(_ text: String, base: ServiceURL?) throws(Template.Unusable) -> String {
        guard text.isEmpty || text.hasPrefix("/") || text.hasPrefix("?") else { return text }
        guard let base else { throw Template.Unusable(expected: "needs `base`, or a whole URL") }
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

    /// RFC 3986 section 5.2.4: `.` and `..` are taken out again, with or without escapes, and some servers do so after they
    /// have read an escaped slash, or a backslash, as one.
    private static func leadsElsewhere(_ segment: String) -> Bool {
        guard let text = segment.removingPercentEncoding else { return true }
        return text.split(whereSeparator: { "/\\".contains($0) }).contains { [".", ".."].contains($0) }
    }

    /// - Throws: ``Unsendable``, also for a segment that would lead elsewhere.
    func url(_ values: TemplateValues) throws(Unsendable) -> ServiceURL {
        var text = origin
        for segment in segments {
            let rendered = try segment.render(values, in: .path)
            guard segment.names.isEmpty || !Self.leadsElsewhere(rendered) else { throw Unsendable() }
            text += "/" + rendered
        }
        var separator = "?"
        for parameter in query {
            text += "\(separator)\(parameter.name)=\(try parameter.value.render(values, in: .query))"
            separator = "&"
        }
        guard let url = ServiceURL(text) else { throw Unsendable() }
        return url
    }
}

extension Substring {
    fileprivate func trimmingSuffix(while isCut: (Character) -> Bool) -> Substring {
        var rest = self
        while let last = rest.last, isCut(last) { rest.removeLast() }
        return rest
    }
}
