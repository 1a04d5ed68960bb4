import XML

/// An XML document with values in text and in attributes, and nowhere else.
struct XMLTemplate: Sendable {
    private let template: Template

    /// - Throws: ``Template/Unusable`` unless every value stands where it can only be a value: neither in a comment, a CDATA
    ///   section or a name, nor where the document would not be well-formed.
    init(_ text: String) throws(Template.Unusable) {
        let template = try Template(text)
        self.template = template
        // Reads the document with a value that shows whether it was read as what it is.
        var left = template.parts.count { if case .value = $0 { true } else { false } }
        let sample = "\u{E000}<&\"']]>--\u{E001}"
        let samples = Dictionary(template.names.map { ($0, sample) }) { first, _ in first }
        guard let rendered = try? template.render(TemplateValues(samples), in: .xml),
            let document = try? XMLDocument(parsing: Array(rendered.utf8))
        else { throw Template.Unusable(expected: "expected well-formed XML without a document type") }
        Self.count(sample, in: document.root, left: &left)
        guard left == 0 else {
            throw Template.Unusable(expected: "expected `{name}` in text and in attributes only")
        }
    }

    private static func count(_ sample: String, in element: XMLElement, left: inout Int) {
        for text in [element.text] + element.attributes.values {
            left -= text.ranges(of: sample).count
        }
        for child in element.children { count(sample, in: child, left: &left) }
    }

    var names: Set<String> { template.names }

    func render(_ values: TemplateValues) throws(Unsendable) -> String {
        try template.render(values, in: .xml)
    }
}
