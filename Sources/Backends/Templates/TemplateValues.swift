import Gatefold
import Primitives

/// The values of templates, by name.
struct TemplateValues: Sendable {
    var values: [String: String]

    init(_ values: [String: String] = [:]) {
        self.values = values
    }

    func value(_ name: String) throws(UnsendableValue) -> String {
        guard let value = values[name] else { throw UnsendableValue(name: name) }
        return value
    }

    func adding(_ more: [String: String]) -> TemplateValues {
        TemplateValues(values.merging(more) { $1 })
    }
}

extension PlaceholderTemplate {
    /// Returns the text with each value encoded for its place.
    ///
    /// - Throws: ``UnsendableValue`` for a value that is missing or that the place cannot carry.
    func render(_ values: TemplateValues, in place: TemplateContext) throws(UnsendableValue) -> String {
        try render { name throws(UnsendableValue) in try place.write(try values.value(name)) }
    }
}
