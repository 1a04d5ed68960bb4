import Foundation
import Gatefold
import JSON
import Primitives
import SQLAccess
import Settings

/// The mapping from the columns of a query to the fields of an edition.
struct CatalogueColumns: Sendable {
    /// A field of an edition that a column can hold. The raw value is the default name of the column.
    enum Field: String, CaseIterable {
        case id, title, published, free, draft, withdrawn, product, file, summary, author, cover, sample, previews
        case categories, contents, updated
    }

    private let names: [Field: String]
    private let dates: DateFormat
    private let separator: String

    /// Reads `columns` (the names of columns that differ from their field), `dates` (the format of dates) and
    /// `separator` (the separator of several values in one text).
    init(_ settings: SettingsSection) throws(SettingsError) {
        let section = try settings.section("columns")
        var names: [Field: String] = [:]
        for field in Field.allCases {
            if let name = try section.string(field.rawValue) { names[field] = name }
        }
        try section.finish()
        self.names = names
        dates = try settings.choice("dates", default: .iso)
        separator = try settings.string("separator", default: ",")
        if separator.isEmpty { throw settings.error("separator", expected: "expected at least one character") }
    }

    /// Reads the rows of a query.
    ///
    /// - Parameter known: The previously known editions.
    /// - Throws: ``CatalogueFailure`` if the columns do not match the settings.
    func read(_ rows: SQLRows, known: Catalogue = Catalogue()) throws(CatalogueFailure) -> CatalogueReading {
        let columnIndexes = try self.columnIndexes(rows.columns)
        var reader = CatalogueReader(known: known)
        for row in rows.rows {
            func value(_ field: Field) -> String? { columnIndexes[field].flatMap { $0 < row.count ? row[$0] : nil } }
            try reader.next(named: value(.id)) { () throws(EditionItemProblem) in try edition(value) }
        }
        return reader.finish(nil)
    }

    /// Returns the index of each field's column. The comparison falls back to case-insensitive names, because some
    /// systems return upper-case names for every query.
    private func columnIndexes(_ columns: [String]) throws(CatalogueFailure) -> [Field: Int] {
        var columnIndexes: [Field: Int] = [:]
        for field in Field.allCases {
            let name = names[field] ?? field.rawValue
            let exact = columns.indices.filter { columns[$0] == name }
            let found = exact.isEmpty ? columns.indices.filter { columns[$0].lowercased() == name.lowercased() } : exact
            guard found.count <= 1 else { throw .severalColumns(name) }
            if let columnIndex = found.first {
                columnIndexes[field] = columnIndex
            } else if names[field] != nil || [.id, .published].contains(field) {
                throw .missingColumn(name)
            }
        }
        return columnIndexes
    }

    private func edition(_ value: (Field) -> String?) throws(EditionItemProblem) -> Edition {
        var item = EditionItem(id: value(.id))
        item.title = value(.title)
        item.published = try date(value(.published), .published)
        item.isFree = try boolValue(value(.free), .free)
        item.isDraft = try boolValue(value(.draft), .draft)
        item.withdrawn = try date(value(.withdrawn), .withdrawn)
        item.product = value(.product)
        item.file = value(.file)
        item.details.summary = value(.summary)
        item.details.author = value(.author)
        item.details.cover = value(.cover)
        item.details.sample = value(.sample)
        item.details.previews = try list(value(.previews), .previews)
        item.details.categories = try list(value(.categories), .categories)
        item.details.contents = try contents(value(.contents))
        item.details.updated = try date(value(.updated), .updated)
        return try item.edition()
    }

    private func date(_ text: String?, _ field: Field) throws(EditionItemProblem) -> Date? {
        guard let text, !text.isEmpty else { return nil }
        guard let date = dates.date(text, isEnd: false) else { throw .unreadable(field.rawValue) }
        return date
    }

    private func boolValue(_ text: String?, _ field: Field) throws(EditionItemProblem) -> Bool {
        switch text?.lowercased() {
        case nil, "", "f", "false", "0", "n", "no": false
        case "t", "true", "1", "y", "yes": true
        default: throw .unreadable(field.rawValue)
        }
    }

    /// Returns the texts of a JSON array, or of a text divided at the separator.
    private func list(_ text: String?, _ field: Field) throws(EditionItemProblem) -> [String] {
        guard let text, !text.isEmpty else { return [] }
        guard text.hasPrefix("[") else { return text.components(separatedBy: separator) }
        guard let items = try? JSONParser.parse(Array(text.utf8)).items else { throw .unreadable(field.rawValue) }
        var texts: [String] = []
        for item in items {
            guard let text = item.text else { throw .unreadable(field.rawValue) }
            texts.append(text)
        }
        return texts
    }

    /// Returns the entries of a JSON array of objects with `pages` and `text`.
    private func contents(_ text: String?) throws(EditionItemProblem) -> [EditionDetails.ContentsEntry] {
        guard let text, !text.isEmpty else { return [] }
        guard let items = try? JSONParser.parse(Array(text.utf8)).items else { throw .unreadable("contents") }
        var lines: [EditionDetails.ContentsEntry] = []
        for item in items {
            guard let pages = item["pages"]?.text, let text = item["text"]?.text else { throw .unreadable("contents") }
            lines.append(.init(pages: pages, text: text))
        }
        return lines
    }
}
