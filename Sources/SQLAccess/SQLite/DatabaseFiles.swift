import Foundation
package import GRDB
import GRDBSQLite
import Primitives
import Synchronization

/// The files of an open database in WAL mode, identified by device and inode.
///
/// A process can continue to write to a file that was deleted or replaced. That data is lost at the next start.
/// SQLite removes none of the files while a connection has them open. Each file must therefore remain the one that
/// was opened, and the WAL must contain the data that was written to it.
package struct DatabaseFiles: Sendable {
    private struct Identity: Equatable {
        let device: UInt64
        let inode: UInt64

        /// Creates the identity of a file, or returns nil if the file does not exist.
        init?(_ path: String) {
            var status = stat()
            guard stat(path, &status) == 0 else { return nil }
            device = UInt64(status.st_dev)
            inode = UInt64(status.st_ino)
        }
    }

    private let files: [(path: String, identity: Identity)]
    private let log: WriteAheadLog
    private let damage = Damage()

    /// Records the files of a connection that has already read or written its WAL.
    ///
    /// - Parameter path: The path by which the database was opened. It may be a symbolic link.
    /// - Throws: ``DatabaseFilesChanged`` if a file is already deleted or replaced.
    package init(of db: Database, path: String) throws {
        // The side files are in the folder of the file itself, not in that of a link to it.
        guard let connection = db.sqliteConnection, let name = sqlite3_db_filename(connection, "main") else {
            throw DatabaseFilesChanged(path: path)
        }
        let file = String(cString: name)
        files = try [path, file, file + "-wal", file + "-shm"].map { path in
            guard let identity = Identity(path) else { throw DatabaseFilesChanged(path: path) }
            return (path, identity)
        }
        // SQLite compares its descriptor with the path. This confirms that the recorded files are the open ones.
        let limit = try Int64.fetchOne(db, sql: "PRAGMA journal_size_limit") ?? -1
        log = WriteAheadLog(path: file + "-wal", retainedBytes: limit < 0 ? nil : limit)
        var hasMoved: CInt = 0
        guard sqlite3_file_control(connection, "main", SQLITE_FCNTL_HAS_MOVED, &hasMoved) == SQLITE_OK, hasMoved == 0
        else { throw DatabaseFilesChanged(path: path) }
    }

    /// Checks the files.
    ///
    /// - Throws: ``DatabaseFilesChanged`` if a file is not the one that was opened, or no longer contains the
    ///   written data.
    package func check() throws(DatabaseFilesChanged) {
        for (path, identity) in files where Identity(path) != identity { throw DatabaseFilesChanged(path: path) }
        guard log.isComplete() else { throw DatabaseFilesChanged(path: log.path, change: .truncated) }
        guard let path = files.first?.path, damage.isFound.withLock(\.self) else { return }
        throw DatabaseFilesChanged(path: path, change: .damaged)
    }

    /// Records an error. If it reports that the file is damaged or not a database, ``check()`` fails from now on.
    /// The connection could continue to write because of its page cache, but the next start would not find that
    /// data.
    package func record(_ error: any Error) {
        guard let error = error as? DatabaseError, [.SQLITE_NOTADB, .SQLITE_CORRUPT].contains(error.resultCode) else {
            return
        }
        damage.isFound.withLock { $0 = true }
    }

    private final class Damage: Sendable {
        let isFound = Mutex(false)
    }
}

/// An error that indicates that a file of a database was deleted, replaced, truncated or damaged while it was open.
package struct DatabaseFilesChanged: BackendFailure, Equatable, CustomStringConvertible {
    package enum Change: Sendable {
        case replaced
        /// The file is shorter than before.
        case truncated
        /// SQLite could not read the file.
        case damaged
    }

    package let path: String
    package var change = Change.replaced

    package var cause: String { description }

    package var description: String {
        let change =
            switch change {
            case .replaced: "was deleted or replaced"
            case .truncated: "was truncated"
            case .damaged: "was damaged"
            }
        return "the file \(path) \(change) while it was open; "
            + "expected only Gatefold to change it, and a restart after it is repaired"
    }
}
