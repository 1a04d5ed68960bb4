public import Foundation
import GRDB
public import Gatefold
import SQLAccess
import Synchronization

/// The embedded state store: one SQLite file, shared by the server and the command line beside it.
public final class SQLiteStateStore: StateStore {
    let pool: StatePool
    let generation: GenerationFile
    /// Whether an older copy of the state was found in its place, so that everybody has to sign in again.
    package let didFindOlderState: Bool
    let acquaintanceLifetime: TimeInterval
    let newPushTokensPerHour: Int
    let clock: WallClock
    let timing = Mutex(StoreTiming())
    /// What loops passed over.
    package let unreadable = UnreadableRows()

    /// Opens the file, creates it for its owner alone if there is none, and brings its tables up to date.
    ///
    /// - Parameters:
    ///   - acquaintanceLifetime: in seconds; a bearer not seen for longer is a stranger again.
    ///   - newPushTokensPerHour: so many of one app are taken in; those known already always are.
    ///   - clock: decides which sessions end when an older copy of the state is found in its place. What is old is forgotten by
    ///     the store's own clock, which follows this one (see ``StoreClock``).
    /// - Throws: ``StateStoreError/cannotOpen(path:reason:)`` or ``StateStoreError/newerSchema(path:reason:)``.
    public init(
        path: String, acquaintanceLifetime: TimeInterval = 400 * 86_400,
        newPushTokensPerHour: Int = standardPushTokensPerHour, clock: WallClock = .system
    ) throws {
        let generation = GenerationFile(beside: path)
        do {
            var configuration = Configuration()
            configuration.busyMode = .timeout(5)
            PrivateFile.createIfMissing(path)
            let opened = try DatabasePool(path: path, configuration: configuration)
            // GRDB chooses NORMAL with WAL; FULL, so that a power cut takes nothing that was acknowledged.
            try opened.writeWithoutTransaction { try $0.execute(sql: "PRAGMA synchronous = FULL") }
            try opened.read(StateSchema.migrator.refuseNewer)
            try StateSchema.migrator.migrate(opened)
            didFindOlderState = try generation.settle(opened, at: clock.now)
            let files = try opened.writeWithoutTransaction { try DatabaseFiles(of: $0, path: path) }
            pool = StatePool(opened, files: files, generation: generation)
        } catch let error as NewerSchema {
            throw StateStoreError.newerSchema(path: path, reason: error.description)
        } catch {
            throw StateStoreError.cannotOpen(path: path, reason: (error as? DatabaseError)?.message ?? "\(error)")
        }
        self.generation = generation
        self.clock = clock
        self.acquaintanceLifetime = acquaintanceLifetime
        self.newPushTokensPerHour = newPushTokensPerHour
    }

    /// Enough for the day on which half a million readers get an app that registers.
    public static let standardPushTokensPerHour = 50_000

    /// Writes, because what can be read may be on a disk without room, or in a file that is gone.
    public func health() async throws {
        do {
            _ = try await pool.read { db in try Int.fetchOne(db, sql: "SELECT 1 FROM revocation LIMIT 1") }
            try await pool.probe()
        } catch let error as DatabaseError {
            throw StateStoreError.unavailable(reason: error.message ?? "SQLite code \(error.resultCode.rawValue)")
        }
    }
}
