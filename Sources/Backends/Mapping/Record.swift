/// What a subscriber system handed over about somebody: named fields, each with any number of texts.
///
/// A row of a table, an entry of a directory, what was found in an answer or the line of a file: the mappings read them all.
struct Record: Sendable, Equatable {
    private var fields: [String: [String]]
    /// Whether a field that is not there is a mistake in the configuration, as with the columns of a row, or has no
    /// value, as with the attributes of a directory's entry.
    private let namesEveryField: Bool

    /// - Parameter fields: a field without a value has the empty list.
    init(_ fields: [String: [String]] = [:], namesEveryField: Bool) {
        self.fields = fields
        self.namesEveryField = namesEveryField
    }

    mutating func append(_ value: String, to field: String) {
        fields[field, default: []].append(value)
    }

    var names: [String] { fields.keys.sorted() }

    func has(_ field: String) -> Bool { fields[field] != nil }

    /// The texts of a field.
    ///
    /// - Throws: ``MappingError/missingField(_:)`` where every field has to be there.
    func values(_ field: String) throws(MappingError) -> [String] {
        if let values = fields[field] { return values }
        guard !namesEveryField else { throw .missingField(field) }
        return []
    }

    /// The one text of a field; nil when it has none.
    ///
    /// - Throws: ``MappingError``, also when there is more than one.
    func value(_ field: String) throws(MappingError) -> String? {
        let all = try values(field)
        guard all.count <= 1 else { throw .severalValues(field) }
        return all.first
    }
}
