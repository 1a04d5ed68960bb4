import Foundation
public import GRDB
import Gatefold
import PasswordHashing
public import Primitives
import SQLAccess

/// The embedded subscriber database: one SQLite file.
///
/// Several processes may open it, such as a running server and the command line. An acknowledged change is on disk
/// when the call returns.
public struct SubscriberDatabase: Sendable {
    let path: String
    let pool: GuardedPool
    /// The connection that stores better password hashes. It never waits for another writer, so that sign-ins are
    /// not delayed.
    let rehashQueue: GuardedQueue
    let clock: WallClock
    let dummyHashes: DummyHashes

    /// Opens the file and migrates its tables. Creates a file that only its owner can read if none exists.
    ///
    /// - Parameters:
    ///   - path: The path of the database file.
    ///   - clock: The source of the current time.
    ///   - prepare: Called with every new connection, for tracing.
    /// - Throws: ``SubscriberDatabaseError/cannotOpen(path:reason:)`` or
    ///   ``SubscriberDatabaseError/newerSchema(path:reason:)``.
    public init(
        path: String, clock: WallClock = .system, prepare: @escaping @Sendable (Database) throws -> Void = { _ in }
    ) throws {
        do {
            var configuration = Configuration()
            configuration.busyMode = .timeout(5)
            configuration.foreignKeysEnabled = true
            configuration.prepareDatabase(prepare)
            PrivateFile.createIfMissing(path)
            let opened = try DatabasePool(path: path, configuration: configuration)
            // GRDB sets NORMAL with WAL. FULL prevents a power failure from losing acknowledged changes. The
            // journal limit (64 MiB) releases the disk space of a large import.
            try opened.writeWithoutTransaction {
                try $0.execute(sql: "PRAGMA synchronous = FULL; PRAGMA journal_size_limit = 67108864")
            }
            try opened.read(SubscriberSchema.migrator.rejectNewer)
            try SubscriberSchema.migrator.migrate(opened)
            guard let key = try opened.read({ try Data.fetchOne($0, sql: "SELECT key FROM dummy_hash") }) else {
                throw UnreadableRow(table: "dummy_hash", column: "key")
            }
            dummyHashes = DummyHashes(key: key)
            configuration.busyMode = .immediateError
            configuration.journalMode = .default
            let queue = try DatabaseQueue(path: path, configuration: configuration)
            let files = try opened.writeWithoutTransaction { try DatabaseFiles(of: $0, path: path) }
            pool = GuardedPool(opened, files: files)
            rehashQueue = GuardedQueue(queue, files: files)
        } catch let error as NewerSchema {
            throw SubscriberDatabaseError.newerSchema(path: path, reason: error.description)
        } catch {
            throw SubscriberDatabaseError.cannotOpen(
                path: path, reason: (error as? DatabaseError)?.message ?? "\(error)")
        }
        self.path = path
        self.clock = clock
    }

    /// Checks the database. Throws an error if it is unavailable.
    public func health() async throws {
        try pool.checkFiles()
        _ = try await pool.read { db in try Int.fetchOne(db, sql: "SELECT 1 FROM subscriber LIMIT 1") }
    }

    /// Returns whether the database accepts an identifier. SQLite text ends at a NUL, so an identifier with a NUL
    /// would match a shorter one.
    ///
    /// Source: Pitfall 13, “Injection into the subscriber system”.
    static func accepts(identifier: String) -> Bool {
        (1...CredentialFields.maxFieldLength).contains(identifier.utf8.count) && !identifier.utf8.contains(0)
    }
}

/// The cause of a failure of the subscriber database.
public enum SubscriberDatabaseError: BackendFailure, Equatable, CustomStringConvertible {
    case cannotOpen(path: String, reason: String)
    /// A newer release has changed the tables.
    case newerSchema(path: String, reason: String)
    /// A text with control characters. Stored text may contain only tabs and line ends.
    case unacceptableText(column: String)

    /// A Boolean value that indicates whether the fix is to start another release rather than to repair the file.
    package var isNewerSchema: Bool {
        if case .newerSchema = self { true } else { false }
    }

    public var cause: String { description }

    public var description: String {
        switch self {
        case .newerSchema(let path, let reason): "cannot open the subscriber database \(path): \(reason)"
        case .cannotOpen(let path, let reason): "cannot open the subscriber database \(path): \(reason)"
        case .unacceptableText(let column): "\(column): expected text without control characters"
        }
    }
}
