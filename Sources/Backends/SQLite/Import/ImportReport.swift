/// What an import did.
public struct ImportReport: Sendable, Equatable {
    /// Rows read, bad ones included; after a resumption, those of this run only.
    public internal(set) var rows = 0
    public internal(set) var added = 0
    public internal(set) var replaced = 0
    /// Subscribers that were not in the file and went.
    public internal(set) var removed = 0
    public internal(set) var badRows = 0
    /// The first bad rows, in the order of the file, as many as the options allow.
    public internal(set) var issues: [ImportIssue] = []
    /// False when nothing was changed, because of bad rows.
    public internal(set) var isCommitted = false
    /// Rows that an interrupted run had dealt with before.
    public internal(set) var resumedAfter = 0
    /// Whether nobody was removed although that was asked for, because a bad row may be somebody who is to stay.
    public internal(set) var didSkipRemoval = false
}

/// One bad row. Quotes nothing from the row, which is somebody's personal data.
public struct ImportIssue: Error, Sendable, Equatable, CustomStringConvertible {
    /// The physical line on which the row begins; the header usually is line 1.
    public let line: Int
    /// Nil when the row as a whole is bad.
    public let column: String?
    public let reason: String

    public var description: String {
        "line \(line)" + (column.map { ", column \($0)" } ?? "") + ": \(reason)"
    }
}

/// How far an import is.
public struct ImportProgress: Sendable, Equatable {
    public let bytes: Int
    /// Nil when the file is a pipe.
    public let totalBytes: Int?
    public let rows: Int
    public let badRows: Int
}

/// Why a file can not be imported at all. Nothing was changed, unless an earlier batch of a resumable import was.
public enum ImportError: Error, Sendable, Equatable, CustomStringConvertible {
    case unreadableFile(path: String, reason: String)
    case noHeader
    case unreadableHeader(String)
    case unknownColumn(String, expected: [String])
    case repeatedColumn(String)
    case missingColumn(String)
    /// Both a plain password and a hash.
    case twoPasswordColumns
    case fileChanged
    /// Replacing all subscribers by none is taken for a mistake.
    case nothingToReplaceWith
    case anotherImport
    case unlockable(path: String, reason: String)

    public var description: String {
        switch self {
        case .unreadableFile(let path, let reason): "cannot read \(path): \(reason)"
        case .noHeader: "the file is empty; expected a first row that names the columns"
        case .unreadableHeader(let problem): problem
        case .unknownColumn(let name, let expected):
            "unknown column \"\(name)\"; expected some of \(expected.joined(separator: ", "))"
        case .repeatedColumn(let name): "the column \"\(name)\" is named twice"
        case .missingColumn(let name): "the column \"\(name)\" is missing"
        case .twoPasswordColumns: "expected either the column password or the column password_hash, not both"
        case .fileChanged: "the file changed while it was read; nothing of it was kept since the last checkpoint"
        case .anotherImport: "another import into this database is running"
        case .unlockable(let path, let reason): "the lock \(path) can not be made: \(reason)"
        case .nothingToReplaceWith: "the file has no good row, and would remove every subscriber"
        }
    }
}
