public import Foundation
import GRDB
public import Gatefold
import Synchronization

/// The embedded state store: one SQLite file, shared by the server and the command line beside it.
public final class SQLiteStateStore: SessionStore {
    let pool: DatabasePool
    let acquaintanceLifetime: TimeInterval
    /// When acquaintances were pruned last.
    let pruned = Mutex(Date.distantPast)

    /// Opens the file, creates it for its owner alone if there is none, and brings its tables up to date.
    ///
    /// - Parameter acquaintanceLifetime: in seconds; a bearer not seen for longer is a stranger again.
    /// - Throws: ``StateStoreError/cannotOpen(path:reason:)``.
    public init(path: String, acquaintanceLifetime: TimeInterval = 400 * 86_400) throws {
        do {
            var configuration = Configuration()
            configuration.busyMode = .timeout(5)
            PrivateFile.createIfMissing(path)
            pool = try DatabasePool(path: path, configuration: configuration)
            // GRDB chooses NORMAL with WAL; FULL, so that a power cut takes nothing that was acknowledged.
            try pool.writeWithoutTransaction { try $0.execute(sql: "PRAGMA synchronous = FULL") }
            try StateSchema.migrator.migrate(pool)
        } catch {
            throw StateStoreError.cannotOpen(path: path, reason: (error as? DatabaseError)?.message ?? "\(error)")
        }
        self.acquaintanceLifetime = acquaintanceLifetime
    }

    public func health() async throws {
        _ = try await pool.read { db in try Int.fetchOne(db, sql: "SELECT 1 FROM revocation LIMIT 1") }
    }
}

/// Why the state store could not be used.
public enum StateStoreError: Error, Equatable, CustomStringConvertible {
    case cannotOpen(path: String, reason: String)
    /// A row can not be understood.
    case unreadableRow(table: String)

    public var description: String {
        switch self {
        case .cannotOpen(let path, let reason): "cannot open the state store \(path): \(reason)"
        case .unreadableRow(let table): "a row of table \(table) can not be read"
        }
    }
}

/// Takes rows apart without trusting their types.
enum StateRow {
    static func date(_ row: Row, _ index: Int, _ table: String) throws -> Date {
        guard case .double(let seconds) = storage(row, index) else { throw StateStoreError.unreadableRow(table: table) }
        return Date(timeIntervalSince1970: seconds)
    }

    static func integer(_ row: Row, _ index: Int, _ table: String) throws -> Int64 {
        guard case .int64(let value) = storage(row, index) else { throw StateStoreError.unreadableRow(table: table) }
        return value
    }

    static func text(_ row: Row, _ index: Int, _ table: String) throws -> String {
        guard case .string(let text) = storage(row, index) else { throw StateStoreError.unreadableRow(table: table) }
        return text
    }

    static func bytes(_ row: Row, _ index: Int, _ table: String) throws -> Data {
        guard case .blob(let data) = storage(row, index) else { throw StateStoreError.unreadableRow(table: table) }
        return data
    }

    private static func storage(_ row: Row, _ index: Int) -> DatabaseValue.Storage {
        let value: DatabaseValue = row[index]
        return value.storage
    }
}
