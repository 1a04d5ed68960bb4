import XML

/// A parser for feeds that are a list of similar elements.
struct XMLFeedParser: FeedParser {
    private(set) var fields: FeedFields
    private let reader: XMLRecordReader
    private let requiredFields: [String]
    /// The numbers of the fields found in at least one record.
    private var seen: Set<Int> = []

    /// Creates the parser.
    ///
    /// - Parameter requiredFields: the fields that at least one record must have.
    init(record: String, _ fields: FeedFields, requiredFields: [String]) throws {
        reader = try XMLRecordReader(element: record, recordSize: FeedFormat.maxRowLength)
        self.fields = fields
        self.requiredFields = requiredFields
    }

    mutating func read(_ bytes: [UInt8], _ body: (FeedItem) throws -> Void) throws {
        do {
            try reader.read(bytes) { try body(.row(row($0))) }
        } catch let error as XMLError {
            throw FeedRejection(error)
        }
    }

    mutating func finish(_ body: (FeedItem) throws -> Void) throws {
        do {
            try reader.finish { try body(.row(row($0))) }
        } catch let error as XMLError {
            throw FeedRejection(error)
        }
        for name in requiredFields where !seen.contains(fields.number(of: name)) {
            throw FeedRejection.missingField(name)
        }
    }

    private mutating func row(_ record: XMLRecord) -> FeedRow {
        var cells: [FeedRow.Cell] = []
        for field in record.fields {
            let number = fields.number(of: field.path)
            seen.insert(number)
            cells.append(FeedRow.Cell(field: number, text: field.value))
        }
        return FeedRow(line: record.line, cells: cells)
    }
}
