import SQLAccess

extension SQLRows {
    /// Returns the rows as records.
    ///
    /// Column names are matched regardless of case, because some systems return upper case for any statement. A
    /// missing or duplicate column is a mistake in the statement, and is reported even if there are no rows.
    ///
    /// - Parameters:
    ///   - wanted: The required columns.
    ///   - optional: The columns that may be absent.
    func records(_ wanted: Set<String>, optional: Set<String> = []) throws(MappingError) -> [Record] {
        var matches: [(name: String, index: Int)] = []
        for name in wanted.union(optional).sorted() {
            let exact = columns.indices.filter { columns[$0] == name }
            let found = exact.isEmpty ? columns.indices.filter { columns[$0].lowercased() == name.lowercased() } : exact
            guard found.count <= 1 else { throw .severalValues(name) }
            if let index = found.first {
                matches.append((name, index))
            } else if wanted.contains(name) {
                throw .missingField(name)
            }
        }
        return rows.map { row in
            var fields: [String: [String]] = [:]
            for match in matches {
                fields[match.name] = (match.index < row.count ? row[match.index] : nil).map { [$0] } ?? []
            }
            return Record(fields, requiresEveryField: true)
        }
    }
}
