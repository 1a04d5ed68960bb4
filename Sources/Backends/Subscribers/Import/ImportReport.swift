/// The result of an import.
public struct ImportReport: Sendable, Equatable {
    /// The number of rows read, including bad rows. A resumed import counts the rows of this run only.
    public internal(set) var rows = 0
    public internal(set) var added = 0
    public internal(set) var replaced = 0
    /// The number of removed subscribers, which were not in the file.
    public internal(set) var removed = 0
    public internal(set) var badRows = 0
    /// The first bad rows in the order of the file, up to the limit in the options.
    public internal(set) var issues: [ImportIssue] = []
    /// A Boolean value that indicates whether the import was committed. False if bad rows prevented every change.
    public internal(set) var isCommitted = false
    /// The number of rows that an interrupted run had processed.
    public internal(set) var resumedAfter = 0
    /// A Boolean value that indicates whether a requested removal was skipped. A bad row may be a subscriber who
    /// must stay.
    public internal(set) var didSkipRemoval = false
}

/// A bad row. The issue quotes nothing from the row, because rows hold personal data.
public struct ImportIssue: Error, Sendable, Equatable, CustomStringConvertible {
    /// The physical line on which the row begins. The header is usually line 1.
    public let line: Int
    /// The name of the bad column; nil if the row as a whole is bad.
    public let column: String?
    public let reason: String

    public var description: String {
        "line \(line)" + (column.map { ", column \($0)" } ?? "") + ": \(reason)"
    }
}

/// The progress of an import.
public struct ImportProgress: Sendable, Equatable {
    public let bytes: Int
    /// The size of the file in bytes; nil for a pipe.
    public let totalBytes: Int?
    public let rows: Int
    public let badRows: Int
}

/// The cause that prevents the import of a file. Nothing was changed, except by earlier batches of a resumable
/// import.
public enum ImportError: Error, Sendable, Equatable, CustomStringConvertible {
    case unreadableFile(path: String, reason: String)
    case noHeader
    case unreadableHeader(String)
    case unknownColumn(String, expected: [String])
    case repeatedColumn(String)
    case missingColumn(String)
    /// The file has both a plain password column and a hash column.
    case twoPasswordColumns
    case fileChanged
    /// A replacement of all subscribers by none, which is treated as a mistake.
    case nothingToReplaceWith
    case anotherImport
    case cannotLock(path: String, reason: String)

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
        case .fileChanged: "the file changed while it was read; nothing of it was stored since the last checkpoint"
        case .anotherImport: "another import into this database is running"
        case .cannotLock(let path, let reason): "the lock \(path) cannot be created: \(reason)"
        case .nothingToReplaceWith: "the file has no good row, and would remove every subscriber"
        }
    }
}
