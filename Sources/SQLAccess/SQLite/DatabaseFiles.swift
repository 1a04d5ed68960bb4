import Foundation
package import GRDB
import GRDBSQLite
import Gatefold
import Synchronization

/// The files of an open database in WAL mode, known by device and inode.
///
/// A process goes on writing to a file that was deleted or replaced under it, and nothing of that is there after the next
/// start. SQLite removes none of the files while a connection has them open, so each must stay the one that was opened, and the
/// WAL must hold what was written to it.
package struct DatabaseFiles: Sendable {
    private struct Identity: Equatable {
        let device: UInt64
        let inode: UInt64

        /// Nil where there is no such file.
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

    /// Looks at the files of a connection whose WAL was read or written already.
    ///
    /// - Parameter path: the path that the database was opened by; it may be a symbolic link.
    /// - Throws: ``DatabaseFilesChanged`` when one of them is gone or replaced already.
    package init(of db: Database, path: String) throws {
        // The side files lie beside the file itself, not beside a link to it.
        guard let connection = db.sqliteConnection, let name = sqlite3_db_filename(connection, "main") else {
            throw DatabaseFilesChanged(path: path)
        }
        let file = String(cString: name)
        files = try [path, file, file + "-wal", file + "-shm"].map { path in
            guard let identity = Identity(path) else { throw DatabaseFilesChanged(path: path) }
            return (path, identity)
        }
        // SQLite compares its descriptor with the path: what was looked at is what is open.
        let limit = try Int64.fetchOne(db, sql: "PRAGMA journal_size_limit") ?? -1
        log = WriteAheadLog(path: file + "-wal", keptBytes: limit < 0 ? nil : limit)
        var hasMoved: CInt = 0
        guard sqlite3_file_control(connection, "main", SQLITE_FCNTL_HAS_MOVED, &hasMoved) == SQLITE_OK, hasMoved == 0
        else { throw DatabaseFilesChanged(path: path) }
    }

    /// - Throws: ``DatabaseFilesChanged`` when a file is not the one that was opened, or no longer holds what was written.
    package func check() throws(DatabaseFilesChanged) {
        for (path, identity) in files where Identity(path) != identity { throw DatabaseFilesChanged(path: path) }
        guard log.isWhole() else { throw DatabaseFilesChanged(path: log.path, change: .cut) }
        guard let path = files.first?.path, damage.isFound.withLock(\.self) else { return }
        throw DatabaseFilesChanged(path: path, change: .damaged)
    }

    /// Takes note of an error: where it says that the file is no database or a damaged one, ``check()`` fails from now on. A
    /// connection goes on writing by the pages that it remembers, and the next start does not find them.
    package func note(_ error: any Error) {
        guard let error = error as? DatabaseError, [.SQLITE_NOTADB, .SQLITE_CORRUPT].contains(error.resultCode) else {
            return
        }
        damage.isFound.withLock { $0 = true }
    }

    private final class Damage: Sendable {
        let isFound = Mutex(false)
    }
}

/// A database's file was deleted, replaced, cut or damaged while it was open.
package struct DatabaseFilesChanged: BackendFailure, Equatable, CustomStringConvertible {
    package enum Change: Sendable {
        case replaced
        /// It is shorter than it was.
        case cut
        /// SQLite could not read it.
        case damaged
    }

    package let path: String
    package var change = Change.replaced

    package var cause: String { description }

    package var description: String {
        let change =
            switch change {
            case .replaced: "was deleted or replaced"
            case .cut: "was cut"
            case .damaged: "was damaged"
            }
        return "the file \(path) \(change) while it was open; "
            + "expected nothing but Gatefold to change it, and a restart after it was put right"
    }
}
