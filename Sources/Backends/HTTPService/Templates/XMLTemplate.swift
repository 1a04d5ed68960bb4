import Gatefold
import Primitives
import XML

/// An XML document with placeholders in text and in attributes only.
struct XMLTemplate: Sendable {
    private let template: PlaceholderTemplate

    /// Parses the template.
    ///
    /// - Throws: `TemplateError` unless every placeholder is in text or in an attribute: not in a comment, a
    ///   CDATA section or a name, and not where the document would not be well-formed.
    init(_ text: String) throws(TemplateError) {
        let template = try PlaceholderTemplate(text)
        self.template = template
        // Parses the document with a sample value that reveals whether each placeholder is read as a plain value.
        var left = template.parts.count { if case .placeholder = $0 { true } else { false } }
        let sample = "\u{E000}<&\"']]>--\u{E001}"
        let samples = Dictionary(template.names.map { ($0, sample) }) { first, _ in first }
        guard let rendered = try? template.render(TemplateValues(samples), in: .xml),
            let document = try? XMLDocument(parsing: Array(rendered.utf8))
        else { throw TemplateError(expected: "well-formed XML without a document type") }
        Self.count(sample, in: document.root, left: &left)
        guard left == 0 else {
            throw TemplateError(expected: "`{name}` in text and in attributes only")
        }
    }

    private static func count(_ sample: String, in element: XMLElement, left: inout Int) {
        for text in [element.text] + element.attributes.values {
            left -= text.ranges(of: sample).count
        }
        for child in element.children { count(sample, in: child, left: &left) }
    }

    var names: Set<String> { template.names }

    func render(_ values: TemplateValues) throws(UnsendableValue) -> String {
        try template.render(values, in: .xml)
    }
}
