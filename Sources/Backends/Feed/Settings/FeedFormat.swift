import CSV
import Settings

/// The format of a feed.
struct FeedFormat: Sendable {
    /// The maximum size of one row or record: 64 KiB.
    static let maxRowLength = 64 << 10

    enum Layout: Sendable {
        case separated(SeparatedLayout)
        case fixedWidth(FixedWidthLayout)
        /// A feed in XML.
        ///
        /// - Parameter record: the name of the elements that are records of readers.
        case xml(record: String)
    }

    private enum Kind: String, CaseIterable {
        case csv, tsv, fixed, xml
    }

    let layout: Layout
    let encoding: TextEncoding
    let skippedLines: Int
    let isCompressed: Bool
    /// The fields of an XML feed that may be missing in every record.
    let optional: Set<String>

    /// Reads `format` and `layout`.
    init(_ settings: SettingsSection) throws(SettingsError) {
        guard let kind = Kind(rawValue: try settings.requiredString("format", expected: "csv, tsv, fixed or xml"))
        else {
            throw settings.error("format", expected: "expected one of csv, tsv, fixed, xml")
        }
        let section = try settings.section("layout")
        isCompressed = try section.boolean("gzip", default: false)
        encoding = kind == .xml ? .utf8 : try section.choice("encoding", default: .utf8)
        skippedLines = kind == .xml ? 0 : try section.integer("skip_lines", default: 0, in: 0...1000)
        switch kind {
        case .csv:
            layout = .separated(try SeparatedLayout(section, separator: nil))
            optional = []
        case .tsv:
            layout = .separated(try SeparatedLayout(section, separator: .tab))
            optional = []
        case .fixed:
            layout = .fixedWidth(try FixedWidthLayout(section))
            optional = []
        case .xml:
            layout = .xml(record: try section.requiredString("record", expected: "the name of an element"))
            optional = Set(try section.strings("optional") ?? [])
        }
        try section.finish()
    }

    /// The fields, or nil when the configuration does not name them all.
    var names: [String]? {
        switch layout {
        case .separated(let layout): layout.names
        case .fixedWidth(let layout): layout.columns.map(\.name)
        case .xml: nil
        }
    }

    /// A Boolean value that indicates whether a missing field in a row is a mistake.
    var requiresEveryField: Bool {
        if case .xml = layout { return false }
        return true
    }

    /// Creates the parser.
    ///
    /// - Parameters:
    ///   - fields: the fields that already have numbers.
    ///   - requiredFields: the fields that columns and mappings require.
    func parser(_ fields: FeedFields, requiredFields: Set<String>) throws -> any FeedParser {
        switch layout {
        case .separated(let layout):
            try SeparatedFeedParser(
                layout, fields, encoding: encoding, skip: skippedLines, requiredFields: requiredFields.sorted())
        case .fixedWidth(let layout):
            FixedWidthFeedParser(layout, fields, encoding: encoding, skip: skippedLines)
        case .xml(let record):
            try XMLFeedParser(record: record, fields, requiredFields: requiredFields.subtracting(optional).sorted())
        }
    }
}

/// The layout of separated values.
struct SeparatedLayout: Sendable {
    let separator: CSVFormat.Separator
    /// The names of the columns, or nil when the first row of the feed contains them.
    let names: [String]?

    /// Reads the layout.
    ///
    /// - Parameter separator: the separator, or nil when the configuration decides it (default: `,`).
    init(_ section: SettingsSection, separator: CSVFormat.Separator?) throws(SettingsError) {
        if let separator {
            self.separator = separator
        } else {
            let known: [String: CSVFormat.Separator] = [",": .comma, ";": .semicolon, "tab": .tab, "|": .pipe]
            guard let chosen = known[try section.string("delimiter", default: ",")] else {
                throw section.error("delimiter", expected: "expected one of `,`, `;`, `|`, tab")
            }
            self.separator = chosen
        }
        names = try section.strings("names")
        if let names, Set(names).count != names.count || names.contains(where: \.isEmpty) || names.isEmpty {
            throw section.error("names", expected: "expected different names, none of them empty")
        }
    }
}

/// The layout of fixed-width columns.
struct FixedWidthLayout: Sendable {
    struct Column: Sendable {
        let name: String
        /// The position of the first character. The first position of a line is 1.
        let start: Int
        let length: Int
    }

    let columns: [Column]
    /// A Boolean value that indicates whether a line may omit blanks at its end.
    let allowsShortLines: Bool

    /// The position of the last character of any column.
    var width: Int { columns.map { $0.start + $0.length - 1 }.max() ?? 0 }

    init(_ section: SettingsSection) throws(SettingsError) {
        allowsShortLines = try section.boolean("short_lines", default: false)
        var columns: [Column] = []
        let positions = 1...FeedFormat.maxRowLength
        for item in try section.sections("columns") {
            let column = Column(
                name: try item.requiredString("name", expected: "a name"),
                start: try item.integer("start", default: 0, in: positions),
                length: try item.integer("length", default: 0, in: positions))
            guard column.start > 0, column.length > 0 else {
                throw item.error("start", expected: "expected the numbers `start` and `length`")
            }
            guard !columns.contains(where: { $0.name == column.name }) else {
                throw item.error("name", expected: "the name \(column.name) is listed twice")
            }
            columns.append(column)
            try item.finish()
        }
        guard !columns.isEmpty else {
            throw section.error("columns", expected: "missing; expected a list of {name, start, length}")
        }
        self.columns = columns
    }
}
