import CSV
import Settings

/// How a feed is written.
struct FeedFormat: Sendable {
    /// The most bytes of one row or record.
    static let longestRow = 64 << 10

    enum Layout: Sendable {
        case separated(SeparatedLayout)
        case fixedWidth(FixedWidthLayout)
        /// - Parameter record: the name of the elements that are readers' records.
        case xml(record: String)
    }

    private enum Kind: String, CaseIterable {
        case csv, tsv, fixed, xml
    }

    let layout: Layout
    let encoding: TextEncoding
    let skippedLines: Int
    let isPacked: Bool
    /// Fields of an XML feed that no record needs to have.
    let optional: Set<String>

    /// Reads `format` and `layout`.
    init(_ settings: SettingsSection) throws(SettingsError) {
        guard let kind = Kind(rawValue: try settings.requiredString("format", expected: "csv, tsv, fixed or xml"))
        else {
            throw settings.error("format", expected: "expected one of csv, tsv, fixed, xml")
        }
        let section = try settings.section("layout")
        isPacked = try section.boolean("gzip", default: false)
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

    /// The fields, where the configuration names them all.
    var names: [String]? {
        switch layout {
        case .separated(let layout): layout.names
        case .fixedWidth(let layout): layout.columns.map(\.name)
        case .xml: nil
        }
    }

    /// Whether a field that a row does not have is a mistake.
    var namesEveryField: Bool {
        if case .xml = layout { return false }
        return true
    }

    /// - Parameters:
    ///   - fields: those that have their numbers already.
    ///   - needed: the fields that columns and mappings ask for.
    func parser(_ fields: FeedFields, needed: Set<String>) throws -> any FeedParser {
        switch layout {
        case .separated(let layout):
            try SeparatedFeedParser(
                layout, fields, encoding: encoding, skip: skippedLines, needed: needed.sorted())
        case .fixedWidth(let layout):
            FixedWidthFeedParser(layout, fields, encoding: encoding, skip: skippedLines)
        case .xml(let record):
            try XMLFeedParser(record: record, fields, needed: needed.subtracting(optional).sorted())
        }
    }
}

/// How separated values are written.
struct SeparatedLayout: Sendable {
    let separator: CSVFormat.Separator
    /// The columns' names; nil when the feed's first row has them.
    let names: [String]?

    /// - Parameter separator: nil when the configuration has a word in it.
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

/// Where the columns of a line stand.
struct FixedWidthLayout: Sendable {
    struct Column: Sendable {
        let name: String
        /// The first character's place; the line's first is 1.
        let start: Int
        let length: Int
    }

    let columns: [Column]
    /// Whether blanks at a line's end may be left out.
    let allowsShortLines: Bool

    /// The place of the last character that any column has.
    var width: Int { columns.map { $0.start + $0.length - 1 }.max() ?? 0 }

    init(_ section: SettingsSection) throws(SettingsError) {
        allowsShortLines = try section.boolean("short_lines", default: false)
        var columns: [Column] = []
        let places = 1...FeedFormat.longestRow
        for item in try section.sections("columns") {
            let column = Column(
                name: try item.requiredString("name", expected: "a name"),
                start: try item.integer("start", default: 0, in: places),
                length: try item.integer("length", default: 0, in: places))
            guard column.start > 0, column.length > 0 else {
                throw item.error("start", expected: "expected the numbers `start` and `length`")
            }
            guard !columns.contains(where: { $0.name == column.name }) else {
                throw item.error("name", expected: "the name \(column.name) stands twice")
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
