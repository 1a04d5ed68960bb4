/// What a feed's parser finds, one after the other.
enum FeedItem: Sendable, Equatable {
    case row(FeedRow)
    case bad(FeedIssue)
}

/// One line of a feed, or one record: its cells that are not empty.
struct FeedRow: Sendable, Equatable {
    struct Cell: Sendable, Equatable {
        /// The number of its field in ``FeedFields``.
        let field: Int
        let text: String
    }

    /// On which it begins; the first is 1.
    let line: Int
    var cells: [Cell]
}

/// The names of a feed's fields by their numbers.
struct FeedFields: Sendable, Equatable {
    private(set) var names: [String] = []
    private var numbers: [String: Int] = [:]

    /// Names a field, unless it has been named already.
    mutating func number(of name: String) -> Int {
        if let number = numbers[name] { return number }
        numbers[name] = names.count
        names.append(name)
        return names.count - 1
    }
}

/// What is wrong with one row. Holds nothing of what stands in it.
public struct FeedIssue: Error, Sendable, Equatable, CustomStringConvertible {
    /// Counted from 1.
    public let line: Int
    public let reason: String

    init(line: Int, _ reason: String) {
        self.line = line
        self.reason = reason
    }

    public var description: String { "line \(line): \(reason)" }
}

/// Takes a feed's bytes apart.
protocol FeedParser {
    var fields: FeedFields { get }

    /// - Throws: ``FeedRefusal`` when the whole feed is none, or what `body` throws.
    mutating func read(_ bytes: [UInt8], _ body: (FeedItem) throws -> Void) throws

    /// Ends the feed.
    mutating func finish(_ body: (FeedItem) throws -> Void) throws
}
