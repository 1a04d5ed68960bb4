public import Foundation
import GRDB
public import Gatefold
import Synchronization

/// The embedded state store: one SQLite file, shared by the server and the command line beside it.
public final class SQLiteStateStore: StateStore {
    let pool: DatabasePool
    let acquaintanceLifetime: TimeInterval
    let newPushTokensPerHour: Int
    /// When acquaintances were pruned last.
    let pruned = Mutex(Date.distantPast)
    /// When receipts refused and messages taken in long ago were pruned last.
    let prunedPurchases = Mutex(Date.distantPast)

    /// Opens the file, creates it for its owner alone if there is none, and brings its tables up to date.
    ///
    /// - Parameters:
    ///   - acquaintanceLifetime: in seconds; a bearer not seen for longer is a stranger again.
    ///   - newPushTokensPerHour: so many of one app are taken in; those known already always are.
    /// - Throws: ``StateStoreError/cannotOpen(path:reason:)``.
    public init(
        path: String, acquaintanceLifetime: TimeInterval = 400 * 86_400,
        newPushTokensPerHour: Int = standardPushTokensPerHour
    ) throws {
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
        self.newPushTokensPerHour = newPushTokensPerHour
    }

    /// Enough for the day on which half a million readers get an app that registers.
    public static let standardPushTokensPerHour = 50_000

    public func health() async throws {
        _ = try await pool.read { db in try Int.fetchOne(db, sql: "SELECT 1 FROM revocation LIMIT 1") }
    }
}
