public import Foundation
import GRDB
public import Gatefold
public import Primitives
import SQLAccess

extension SQLStateStore {
    /// Returns whether there was a state at the path, of which only the generation file is left.
    package static func wasRemoved(path: String) -> Bool {
        access(path, F_OK) != 0 && access(GenerationFile.path(alongside: path), F_OK) == 0
    }

    /// Opens the embedded state: one SQLite file that the server shares with the command-line tool. Creates the file
    /// with access for its owner alone if it is missing, and migrates its tables.
    ///
    /// - Parameters:
    ///   - path: The path of the SQLite file.
    ///   - knownDeviceLifetime: The time in seconds after which a bearer that was not seen is no longer a known device.
    ///   - newPushTokensPerHour: The maximum number of new tokens of one app per hour. Known tokens are always
    ///     accepted.
    ///   - clock: The clock that decides which sessions end when an older copy of the state is found. Retention uses
    ///     the store's own clock, which follows this clock (see `StoreClock`).
    /// - Throws: ``StateStoreError/cannotOpen(path:reason:)`` or ``StateStoreError/newerSchema(path:reason:)``.
    public convenience init(
        path: String, knownDeviceLifetime: TimeInterval = 400 * 86_400,
        newPushTokensPerHour: Int = PushTokenLimits.defaultNewTokensPerHour, clock: WallClock = .system
    ) throws {
        let generation = GenerationFile(alongside: path)
        let database: SQLiteStateDatabase
        let didFindOlderState: Bool
        do {
            var configuration = Configuration()
            configuration.busyMode = .timeout(5)
            PrivateFile.createIfMissing(path)
            let opened = try DatabasePool(path: path, configuration: configuration)
            // GRDB selects NORMAL with WAL. FULL is needed so that a power cut loses nothing that was acknowledged.
            try opened.writeWithoutTransaction { try $0.execute(sql: "PRAGMA synchronous = FULL") }
            try opened.read(StateSchema.rejectIncompatible)
            try StateSchema.migrate(opened)
            didFindOlderState = try generation.reconcile(opened, at: clock.now)
            let files = try opened.writeWithoutTransaction { try DatabaseFiles(of: $0, path: path) }
            database = SQLiteStateDatabase(opened, files: files, generation: generation)
        } catch let error as NewerSchema {
            throw StateStoreError.newerSchema(path: path, reason: error.description)
        } catch {
            throw StateStoreError.cannotOpen(path: path, reason: (error as? DatabaseError)?.message ?? "\(error)")
        }
        self.init(
            database, didFindOlderState: didFindOlderState, knownDeviceLifetime: knownDeviceLifetime,
            newPushTokensPerHour: newPushTokensPerHour, clock: clock)
    }
}
