import Foundation
public import Primitives
import Transfers
import XML

/// A reason for the rejection of a feed. The last good feed stays in force, and the log and `gatefold feed status`
/// report the reason. No case contains feed content, an address or a secret.
public enum FeedRejection: BackendFailure, Equatable, CustomStringConvertible {
    /// The feed could not be fetched.
    case transfer(String)
    case compression
    case truncated
    case malformed(String)
    case missingField(String)
    case duplicateColumn(column: Int)
    case tooFew(rows: Int, minimum: Int)
    case shrunk(from: Int, to: Int)
    case badRows(Int, of: Int)
    case checksum(String)
    case tooLarge(limit: Int)
    case disk(String)
    case cancelled

    public var cause: String { description }

    /// A Boolean value that indicates whether the source was unreachable, as opposed to a fetched feed that was
    /// rejected.
    public var isOutage: Bool {
        if case .transfer = self { return true }
        return false
    }

    public var description: String {
        switch self {
        case .transfer(let details): "the feed cannot be fetched: \(details)"
        case .compression: "the feed is not a complete gzip file"
        case .truncated: "the feed ends in the middle of a row"
        case .malformed(let details): "the feed cannot be read: \(details)"
        case .missingField(let name): "the feed has no field \(name)"
        case .duplicateColumn(let column): "the feed's first row gives column \(column) the name of another column"
        case .tooFew(let rows, let minimum): "the feed has \(rows) good rows, and limits.min_rows is \(minimum)"
        case .shrunk(let before, let now):
            "the feed has \(now) good rows, the last one had \(before): more than limits.max_shrink are gone"
        case .badRows(let bad, let all): "\(bad) of \(all) rows are bad: more than limits.max_bad_rows"
        case .checksum(let details): "the checksum: \(details)"
        case .tooLarge(let limit): "the feed is larger than limits.max_size, \(limit) bytes"
        case .disk(let details): "the feed cannot be stored: \(details)"
        case .cancelled: "loading was cancelled"
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

/// A failure that prevents queries from being served, or that the health check reports.
enum FeedUnavailable: BackendFailure, Equatable {
    case notLoadedYet
    /// There is no feed, and another process or an earlier configuration holds the lock for loading it.
    case lockedElsewhere
    /// The feed in force is older than `stale_after`. Readers are still served from it.
    case stale(reason: String?)
    /// The loaded feed cannot be read.
    ///
    /// - Parameter code: the SQLite error code.
    case unreadable(code: Int)
    case tooManyLines

    var cause: String {
        switch self {
        case .notLoadedYet: "no feed has been loaded yet"
        case .lockedElsewhere:
            "no feed has been loaded with these settings, and another process or configuration holds its lock"
        case .stale(let reason): "the feed is older than stale_after\(reason.map { "; \($0)" } ?? "")"
        case .unreadable(let code): "the loaded feed cannot be read: SQLite error \(code)"
        case .tooManyLines: "a reader has more than \(FeedDatabase.maxLines) lines in the feed"
        }
    }
}
