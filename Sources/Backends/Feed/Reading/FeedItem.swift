/// One item that a feed parser finds.
enum FeedItem: Sendable, Equatable {
    case row(FeedRow)
    case bad(FeedIssue)
}

/// One line or record of a feed, with its non-empty cells.
struct FeedRow: Sendable, Equatable {
    struct Cell: Sendable, Equatable {
        /// The number of the cell's field in ``FeedFields``.
        let field: Int
        let text: String
    }

    /// The line on which the row begins, counted from 1.
    let line: Int
    var cells: [Cell]
}

/// The names of a feed's fields by their numbers.
struct FeedFields: Sendable, Equatable {
    private(set) var names: [String] = []
    private var numbers: [String: Int] = [:]

    /// Returns the number of a field, and adds the field if it is new.
    mutating func number(of name: String) -> Int {
        if let number = numbers[name] { return number }
        numbers[name] = names.count
        names.append(name)
        return names.count - 1
    }
}

/// A problem of one row. It contains no content of the row.
public struct FeedIssue: Error, Sendable, Equatable, CustomStringConvertible {
    /// The line, counted from 1.
    public let line: Int
    public let reason: String

    init(line: Int, _ reason: String) {
        self.line = line
        self.reason = reason
    }

    public var description: String { "line \(line): \(reason)" }
}

/// A parser for the bytes of a feed.
protocol FeedParser {
    var fields: FeedFields { get }

    /// Parses the next bytes.
    ///
    /// - Throws: ``FeedRejection`` when the whole feed is invalid, or an error of `body`.
    mutating func read(_ bytes: [UInt8], _ body: (FeedItem) throws -> Void) throws

    /// Ends the feed.
    mutating func finish(_ body: (FeedItem) throws -> Void) throws
}
