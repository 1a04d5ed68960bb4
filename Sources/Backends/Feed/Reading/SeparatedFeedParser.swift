import CSV
import Foundation

/// Reads feeds of separated values.
struct SeparatedFeedParser: FeedParser {
    private(set) var fields: FeedFields
    private var reader: CSVReader
    private let encoding: TextEncoding
    private let needed: [String]
    private var skipped: SkippedLines
    /// The number of each column's field; nil until the first row has named them.
    private var columns: [Int]?

    init(
        _ layout: SeparatedLayout, _ fields: FeedFields, encoding: TextEncoding, skip: Int, needed: [String]
    ) throws(FeedRefusal) {
        self.fields = fields
        reader = CSVReader(
            format: CSVFormat(separator: layout.separator, longestRow: FeedFormat.longestRow, mostFields: 1024))
        self.encoding = encoding
        self.needed = needed
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
        if columns == nil { throw FeedRefusal.malformed("it is empty") }
    }

    private mutating func take(_ outcome: CSVReader.Outcome, _ body: (FeedItem) throws -> Void) throws {
        switch outcome {
        case .success(let row):
            guard let columns else { return try name(row.fields) }
            let line = row.line + skipped.count
            guard row.fields.count == columns.count else {
                let words = "expected \(columns.count) fields, found \(row.fields.count)"
                return try body(.bad(FeedIssue(line: line, words)))
            }
            var cells: [FeedRow.Cell] = []
            cells.reserveCapacity(columns.count)
            for (index, text) in row.fields.enumerated() where !text.isEmpty {
                cells.append(FeedRow.Cell(field: columns[index], text: text))
            }
            try body(.row(FeedRow(line: line, cells: cells)))
        case .failure(let error):
            guard columns != nil else { throw FeedRefusal.malformed("its first row: \(error.reason.words)") }
            if error.reason == .unterminatedQuote { throw FeedRefusal.truncated }
            try body(.bad(FeedIssue(line: error.line + skipped.count, error.reason.words)))
        }
    }

    private mutating func name(_ names: [String]) throws(FeedRefusal) {
        var columns: [Int] = []
        for (index, name) in names.enumerated() {
            let number = fields.number(of: name.trimmingCharacters(in: .whitespaces))
            guard !columns.contains(number) else { throw .twiceNamed(column: index + 1) }
            columns.append(number)
        }
        for name in needed where !columns.contains(fields.number(of: name)) { throw .missingField(name) }
        self.columns = columns
    }
}

/// Lines in front of a feed that are not part of it.
struct SkippedLines {
    /// How many there are.
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
