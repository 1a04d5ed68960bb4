import Foundation
public import GRDB
public import Gatefold
import SQLAccess

/// The embedded subscriber database: one SQLite file.
///
/// Several processes may have it open: a running server, and the command line beside it. What a call acknowledged is on
/// disk when it returns.
public struct SubscriberDatabase: Sendable {
    let path: String
    let pool: GuardedPool
    /// Keeps better password hashes without ever waiting for another writer, so that sign-in never does.
    let upgrades: GuardedQueue
    let clock: WallClock
    let decoys: Decoys

    /// Opens the file, creates it for its owner alone if there is none, and brings its tables up to date.
    ///
    /// - Parameter prepare: called with every new connection, for tracing.
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
            // GRDB chooses NORMAL with WAL; FULL, so that a power cut takes nothing that was acknowledged.
            // The limit gives the disk space of a large import back.
            try opened.writeWithoutTransaction {
                try $0.execute(sql: "PRAGMA synchronous = FULL; PRAGMA journal_size_limit = 67108864")
            }
            try opened.read(SubscriberSchema.migrator.refuseNewer)
            try SubscriberSchema.migrator.migrate(opened)
            guard let key = try opened.read({ try Data.fetchOne($0, sql: "SELECT key FROM decoy") }) else {
                throw UnreadableRow(table: "decoy", column: "key")
            }
            decoys = Decoys(key: key)
            configuration.busyMode = .immediateError
            configuration.journalMode = .default
            let queue = try DatabaseQueue(path: path, configuration: configuration)
            let files = try opened.writeWithoutTransaction { try DatabaseFiles(of: $0, path: path) }
            pool = GuardedPool(opened, files: files)
            upgrades = GuardedQueue(queue, files: files)
        } catch let error as NewerSchema {
            throw SubscriberDatabaseError.newerSchema(path: path, reason: error.description)
        } catch {
            throw SubscriberDatabaseError.cannotOpen(
                path: path, reason: (error as? DatabaseError)?.message ?? "\(error)")
        }
        self.path = path
        self.clock = clock
    }

    /// Throws when the database can not be asked at present.
    public func health() async throws {
        try pool.checkFiles()
        _ = try await pool.read { db in try Int.fetchOne(db, sql: "SELECT 1 FROM subscriber LIMIT 1") }
    }

    /// SQLite's text ends at a NUL, so an identifier with one would be taken for a shorter one (PITFALLS row 13).
    static func accepts(identifier: String) -> Bool {
        (1...CredentialFields.longestField).contains(identifier.utf8.count) && !identifier.utf8.contains(0)
    }
}

/// Why the database could not be used.
public enum SubscriberDatabaseError: BackendFailure, Equatable, CustomStringConvertible {
    case cannotOpen(path: String, reason: String)
    /// A newer release has changed the tables.
    case newerSchema(path: String, reason: String)
    /// Text that is kept must be without control characters but tabs and line ends.
    case unacceptableText(column: String)

    /// Whether another release has to be started, rather than the file put right.
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
