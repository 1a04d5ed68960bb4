import Foundation
public import Gatefold
import Transfers
import XML

/// Why a feed was not taken. The last good one stays in force, and this is said in the log and by `gatefold feed status`:
/// no case holds anything that stands in a feed, an address or a secret.
public enum FeedRefusal: BackendFailure, Equatable, CustomStringConvertible {
    /// It could not be had at all.
    case transfer(String)
    case compression
    case truncated
    case malformed(String)
    case missingField(String)
    case twiceNamed(column: Int)
    case tooFew(rows: Int, least: Int)
    case shrunk(from: Int, to: Int)
    case badRows(Int, of: Int)
    case checksum(String)
    case tooLarge(limit: Int)
    case disk(String)
    case cancelled

    public var cause: String { description }

    /// Whether the source could not be asked, rather than its answer not used.
    public var isOutage: Bool {
        if case .transfer = self { return true }
        return false
    }

    public var description: String {
        switch self {
        case .transfer(let words): "the feed can not be fetched: \(words)"
        case .compression: "the feed is not a whole gzip file"
        case .truncated: "the feed ends in the middle of a row"
        case .malformed(let words): "the feed can not be read: \(words)"
        case .missingField(let name): "the feed has no field \(name)"
        case .twiceNamed(let column): "the feed's first row gives column \(column) a name that another one has"
        case .tooFew(let rows, let least): "the feed has \(rows) good rows, and limits.rows_at_least is \(least)"
        case .shrunk(let before, let now):
            "the feed has \(now) good rows, the last one had \(before): more than limits.shrink_at_most are gone"
        case .badRows(let bad, let all): "\(bad) of \(all) rows are bad: more than limits.bad_rows_at_most"
        case .checksum(let words): "the checksum: \(words)"
        case .tooLarge(let limit): "the feed is larger than limits.size_at_most, \(limit) bytes"
        case .disk(let words): "the feed can not be kept: \(words)"
        case .cancelled: "the work was ended"
        }
    }

    init(_ error: TransferError) {
        switch error {
        case .cancelled: self = .cancelled
        case .tooLarge(let limit): self = .tooLarge(limit: limit)
        case .truncated: self = .truncated
        case .cannotWrite: self = .disk(error.description)
        default: self = .transfer(error.description)
        }
    }

    init(_ error: XMLError) {
        self = .malformed(error.description)
    }
}

/// Why readers can not be answered.
enum FeedUnavailable: BackendFailure, Equatable {
    case noneYet
    /// There is none, and somebody else has it to load.
    case keptElsewhere
    /// The feed in force has grown old. Readers are answered from it all the same.
    case stale(reason: String?)
    /// - Parameter code: of SQLite.
    case unreadable(code: Int)
    case tooManyLines

    var cause: String {
        switch self {
        case .noneYet: "no feed has been loaded yet"
        case .keptElsewhere:
            "no feed has been loaded under these settings, and another process or an earlier configuration holds its lock"
        case .stale(let reason): "the feed is older than stale_after\(reason.map { "; \($0)" } ?? "")"
        case .unreadable(let code): "the loaded feed can not be read: SQLite error \(code)"
        case .tooManyLines: "a reader has more than \(FeedDatabase.mostLines) lines in the feed"
        }
    }
}
