import CSV
import Foundation

/// A parser for feeds of separated values.
struct SeparatedFeedParser: FeedParser {
    private(set) var fields: FeedFields
    private var reader: CSVReader
    private let encoding: TextEncoding
    private let requiredFields: [String]
    private var skipped: SkippedLines
    /// The field number of each column, or nil before the first row has named the columns.
    private var columns: [Int]?

    init(
        _ layout: SeparatedLayout, _ fields: FeedFields, encoding: TextEncoding, skip: Int, requiredFields: [String]
    ) throws(FeedRejection) {
        self.fields = fields
        reader = CSVReader(
            format: CSVFormat(separator: layout.separator, maxRowLength: FeedFormat.maxRowLength, maxFields: 1024))
        self.encoding = encoding
        self.requiredFields = requiredFields
        skipped = SkippedLines(skip)
        if let names = layout.names { try name(names) }
    }

    mutating func read(_ bytes: [UInt8], _ body: (FeedItem) throws -> Void) throws {
        let bytes = encoding.utf8(skipped.rest(of: bytes))
        var reader = reader
        try reader.read(bytes) { try take($0, body) }
        self.reader = reader
    }

    mutating func finish(_ body: (FeedItem) throws -> Void) throws {
        var reader = reader
        try reader.finish { try take($0, body) }
        self.reader = reader
        if columns == nil { throw FeedRejection.malformed("it is empty") }
    }

    private mutating func take(_ outcome: CSVReader.Outcome, _ body: (FeedItem) throws -> Void) throws {
        switch outcome {
        case .success(let row):
            guard let columns else { return try name(row.fields) }
            let line = row.line + skipped.count
            guard row.fields.count == columns.count else {
                let explanation = "expected \(columns.count) fields, found \(row.fields.count)"
                return try body(.bad(FeedIssue(line: line, explanation)))
            }
            var cells: [FeedRow.Cell] = []
            cells.reserveCapacity(columns.count)
            for (index, text) in row.fields.enumerated() where !text.isEmpty {
                cells.append(FeedRow.Cell(field: columns[index], text: text))
            }
            try body(.row(FeedRow(line: line, cells: cells)))
        case .failure(let error):
            guard columns != nil else { throw FeedRejection.malformed("its first row: \(error.reason.explanation)") }
            if error.reason == .unterminatedQuote { throw FeedRejection.truncated }
            try body(.bad(FeedIssue(line: error.line + skipped.count, error.reason.explanation)))
        }
    }

    private mutating func name(_ names: [String]) throws(FeedRejection) {
        var columns: [Int] = []
        for (index, name) in names.enumerated() {
            let number = fields.number(of: name.trimmingCharacters(in: .whitespaces))
            guard !columns.contains(number) else { throw .duplicateColumn(column: index + 1) }
            columns.append(number)
        }
        for name in requiredFields where !columns.contains(fields.number(of: name)) { throw .missingField(name) }
        self.columns = columns
    }
}

/// The lines before a feed that are not part of it.
struct SkippedLines {
    /// The number of lines.
    let count: Int
    private var left: Int

    init(_ count: Int) {
        self.count = count
        left = count
    }

    mutating func rest(of bytes: [UInt8]) -> [UInt8] {
        guard left > 0 else { return bytes }
        for (index, byte) in bytes.enumerated() where byte == UInt8(ascii: "\n") {
            left -= 1
            if left == 0 { return Array(bytes[(index + 1)...]) }
        }
        return []
    }
}
