/// A subscriber system's data about one subscriber: named fields, each with any number of texts.
///
/// The mappings read every kind of record: a row of a table, an entry of a directory, the values of a response, or
/// a line of a file.
struct Record: Sendable, Equatable {
    private var fields: [String: [String]]
    /// A Boolean value that indicates whether a missing field is a mistake in the configuration, as with the
    /// columns of a row. Otherwise a missing field has no value, as with the attributes of a directory entry.
    private let requiresEveryField: Bool

    /// Creates a record.
    ///
    /// - Parameter fields: the texts by field. A field without a value has an empty list.
    init(_ fields: [String: [String]] = [:], requiresEveryField: Bool) {
        self.fields = fields
        self.requiresEveryField = requiresEveryField
    }

    mutating func append(_ value: String, to field: String) {
        fields[field, default: []].append(value)
    }

    var names: [String] { fields.keys.sorted() }

    func has(_ field: String) -> Bool { fields[field] != nil }

    /// Returns the texts of a field.
    ///
    /// - Throws: ``MappingError/missingField(_:)`` for a missing field when every field is mandatory.
    func values(_ field: String) throws(MappingError) -> [String] {
        if let values = fields[field] { return values }
        guard !requiresEveryField else { throw .missingField(field) }
        return []
    }

    /// Returns the only text of a field, or nil when it has none.
    ///
    /// - Throws: ``MappingError``, also when there is more than one text.
    func value(_ field: String) throws(MappingError) -> String? {
        let all = try values(field)
        guard all.count <= 1 else { throw .severalValues(field) }
        return all.first
    }
}
