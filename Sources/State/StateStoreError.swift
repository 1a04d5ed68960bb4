import GRDB
import SQLAccess

/// The reason for a failure of the state store.
public enum StateStoreError: Error, Equatable, CustomStringConvertible {
    case cannotOpen(path: String, reason: String)
    /// A newer release has changed the tables.
    case newerSchema(path: String, reason: String)
    /// The database is currently not readable or writable.
    case unavailable(reason: String)
    /// No database server can be reached.
    case unreachable(reason: String)
    /// A row is unreadable.
    case unreadableRow(table: String)
    /// A text contains U+0000, the character that ends texts in databases.
    case unstorableText(table: String)
    /// The receipt was deleted.
    case noSuchReceipt

    /// A Boolean value that indicates whether another release has to be started, rather than the file repaired.
    package var isNewerSchema: Bool {
        if case .newerSchema = self { true } else { false }
    }

    /// Returns whether an error means that the store cannot be used at present.
    package static func isUnavailable(_ error: any Error) -> Bool {
        switch error as? StateStoreError {
        case .unavailable, .unreachable, .cannotOpen, .newerSchema: true
        case .unreadableRow, .unstorableText, .noSuchReceipt, nil: false
        }
    }

    /// Returns whether an error means that the store cannot be used at present, including an error of the embedded store's
    /// file, such as a full disk.
    package static func isOutage(_ error: any Error) -> Bool {
        if let error = error as? DatabaseError {
            let codes: [ResultCode] = [
                .SQLITE_FULL, .SQLITE_IOERR, .SQLITE_READONLY, .SQLITE_CANTOPEN, .SQLITE_CORRUPT, .SQLITE_NOTADB,
                .SQLITE_BUSY, .SQLITE_LOCKED,
            ]
            return codes.contains(error.resultCode)
        }
        return isUnavailable(error) || error is DatabaseFilesChanged
    }

    /// Returns whether an error means that no server of the store can be reached.
    package static func isUnreachable(_ error: any Error) -> Bool {
        if case .unreachable? = error as? StateStoreError { true } else { false }
    }

    /// The affected table, or `state` if the error affects no single table.
    var table: String {
        switch self {
        case .unreadableRow(let table), .unstorableText(let table): table
        case .cannotOpen, .newerSchema, .unavailable, .unreachable, .noSuchReceipt: "state"
        }
    }

    public var description: String {
        switch self {
        case .cannotOpen(let path, let reason): "cannot open the state store \(path): \(reason)"
        case .newerSchema(let path, let reason): "cannot open the state store \(path): \(reason)"
        case .unavailable(let reason), .unreachable(let reason): "the state store cannot be read or written: \(reason)"
        case .unreadableRow(let table): "a row of table \(table) cannot be read"
        case .unstorableText(let table):
            "a string for table \(table) holds the character U+0000; expected a string without it"
        case .noSuchReceipt: "the receipt was erased; expected one that is stored"
        }
    }
}
