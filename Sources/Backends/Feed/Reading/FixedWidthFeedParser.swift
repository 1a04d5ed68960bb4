import Foundation

/// A parser for feeds with columns at the same positions in every line.
struct FixedWidthFeedParser: FeedParser {
    private(set) var fields: FeedFields
    private let layout: FixedWidthLayout
    private let encoding: TextEncoding
    private var skipped: SkippedLines
    private let numbers: [Int]
    private var line: [UInt8] = []
    private var lineNumber: Int
    private var isTooLong = false
    private var isAtStart = true

    init(_ layout: FixedWidthLayout, _ fields: FeedFields, encoding: TextEncoding, skip: Int) {
        var fields = fields
        numbers = layout.columns.map { fields.number(of: $0.name) }
        self.fields = fields
        self.layout = layout
        self.encoding = encoding
        skipped = SkippedLines(skip)
        lineNumber = 1 + skip
    }

    mutating func read(_ bytes: [UInt8], _ body: (FeedItem) throws -> Void) rethrows {
        var rest = skipped.rest(of: bytes)[...]
        while let end = rest.firstIndex(of: UInt8(ascii: "\n")) {
            append(rest[..<end])
            rest = rest[(end + 1)...]
            try endLine(body)
        }
        append(rest)
    }

    mutating func finish(_ body: (FeedItem) throws -> Void) rethrows {
        if !line.isEmpty || isTooLong { try endLine(body) }
    }

    private mutating func append(_ bytes: ArraySlice<UInt8>) {
        guard !isTooLong else { return }
        line.append(contentsOf: bytes)
        if line.count > FeedFormat.maxRowLength {
            isTooLong = true
            line.removeAll()
        }
    }

    private mutating func endLine(_ body: (FeedItem) throws -> Void) rethrows {
        defer {
            line.removeAll(keepingCapacity: true)
            isTooLong = false
            lineNumber += 1
        }
        if isTooLong {
            return try body(.bad(FeedIssue(line: lineNumber, "a row has at most \(FeedFormat.maxRowLength) bytes")))
        }
        if line.last == UInt8(ascii: "\r") { line.removeLast() }
        if isAtStart, encoding == .utf8, line.starts(with: [0xEF, 0xBB, 0xBF]) { line.removeFirst(3) }
        isAtStart = false
        if line.isEmpty { return }
        guard let text = String(validating: encoding.utf8(line), as: UTF8.self) else {
            return try body(.bad(FeedIssue(line: lineNumber, "expected \(encoding.rawValue)")))
        }
        try body(item(text))
    }

    private func item(_ text: String) -> FeedItem {
        // Columns are counted in Unicode scalars, which are one byte each in ASCII.
        let scalars = Array(text.unicodeScalars)
        guard layout.allowsShortLines || scalars.count >= layout.width else {
            return .bad(
                FeedIssue(line: lineNumber, "expected at least \(layout.width) characters, found \(scalars.count)"))
        }
        var cells: [FeedRow.Cell] = []
        for (column, number) in zip(layout.columns, numbers) {
            guard column.start <= scalars.count else { continue }
            let end = min(column.start - 1 + column.length, scalars.count)
            var cell = String.UnicodeScalarView()
            cell.append(contentsOf: scalars[(column.start - 1)..<end])
            let trimmed = String(cell).trimmingCharacters(in: .whitespaces)
            if !trimmed.isEmpty { cells.append(FeedRow.Cell(field: number, text: trimmed)) }
        }
        return .row(FeedRow(line: lineNumber, cells: cells))
    }
}
