import Mustache

/// One parsed template.
struct MustacheText: Sendable {
    enum Kind: Sendable {
        case text, html
    }

    private let template: MustacheTemplate
    private let kind: Kind

    /// - Throws: ``TemplateTags/Mistake``.
    init(_ text: String, _ kind: Kind, knowing names: Set<String>) throws(TemplateTags.Mistake) {
        try TemplateTags.check(text, knowing: names)
        self.kind = kind
        do {
            // What is to be escaped is, before it comes to the template.
            template = try MustacheTemplate(string: "{{% CONTENT_TYPE:TEXT}}" + text)
        } catch let error as MustacheTemplate.ParserError {
            throw TemplateTags.Mistake(line: error.context.lineNumber, expected: Self.words(error.error))
        } catch {
            throw TemplateTags.Mistake(line: 1, expected: "expected a Mustache template")
        }
    }

    /// - Parameter values: an empty one counts as missing, so that a section can leave out what goes with it.
    func render(_ values: [String: String]) -> String {
        let given = values.filter { !$0.value.isEmpty }
        return template.render(kind == .html ? given.mapValues(Self.escape) : given)
    }

    /// By scalars: a sign with a combining mark behind it is one character to Swift, and the sign it is to a browser.
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

    private static func words(_ error: any Error) -> String {
        switch error as? MustacheTemplate.Error {
        case .sectionCloseNameIncorrect: "expected {{/name}} with the name of the section that is open"
        case .expectedSectionEnd: "expected {{/name}} for every {{#name}} and {{^name}}"
        case .unfinishedName: "expected a name and }} behind {{"
        default: "expected a Mustache template"
        }
    }
}
