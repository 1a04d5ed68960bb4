import Mustache

/// A parsed template.
struct MustacheText: Sendable {
    enum Kind: Sendable {
        case text, html
    }

    private let template: MustacheTemplate
    private let kind: Kind

    /// - Throws: ``TemplateTags/TagError``.
    init(_ text: String, _ kind: Kind, variableNames names: Set<String>) throws(TemplateTags.TagError) {
        try TemplateTags.check(text, variableNames: names)
        self.kind = kind
        do {
            // The content type is text, because values are escaped before they reach the template.
            template = try MustacheTemplate(string: "{{% CONTENT_TYPE:TEXT}}" + text)
        } catch let error as MustacheTemplate.ParserError {
            throw TemplateTags.TagError(line: error.context.lineNumber, expected: Self.describe(error.error))
        } catch {
            throw TemplateTags.TagError(line: 1, expected: "expected a Mustache template")
        }
    }

    /// Renders the template.
    ///
    /// - Parameter values: The values of the variables. An empty value counts as missing, so that a section can
    ///   omit the text around it.
    func render(_ values: [String: String]) -> String {
        let suppliedValues = values.filter { !$0.value.isEmpty }
        return template.render(kind == .html ? suppliedValues.mapValues(Self.escape) : suppliedValues)
    }

    /// Escapes by Unicode scalars: a sign followed by a combining mark is one character in Swift, but a browser
    /// still reads the sign.
    private static func escape(_ text: String) -> String {
        var escaped = String.UnicodeScalarView()
        for scalar in text.unicodeScalars {
            switch scalar {
            case "<": escaped.append(contentsOf: "&lt;".unicodeScalars)
            case ">": escaped.append(contentsOf: "&gt;".unicodeScalars)
            case "&": escaped.append(contentsOf: "&amp;".unicodeScalars)
            case "\"": escaped.append(contentsOf: "&quot;".unicodeScalars)
            case "'": escaped.append(contentsOf: "&#39;".unicodeScalars)
            default: escaped.append(scalar)
            }
        }
        return String(escaped)
    }

    private static func describe(_ error: any Error) -> String {
        switch error as? MustacheTemplate.Error {
        case .sectionCloseNameIncorrect: "expected {{/name}} with the name of the section that is open"
        case .expectedSectionEnd: "expected {{/name}} for every {{#name}} and {{^name}}"
        case .unfinishedName: "expected a name and }} after {{"
        default: "expected a Mustache template"
        }
    }
}
