public import CSV
import Foundation
import GRDB
import Gatefold
import SQLAccess

/// Brings subscribers from a file of separated values into the embedded database, however many they are.
///
/// The first row names the columns: `identifier` (or the name in the options), `password` or `password_hash`, `state`,
/// `message`, `all_editions`, `periods`, `editions`, `categories`. A row replaces what is stored in the columns the file
/// has, an empty cell meaning none; columns it does not have stay as they are.
public struct SubscriberImport: Sendable {
    public enum Mode: Sendable, Equatable {
        /// All rows come into force at once; any bad row, and nothing is changed.
        case allOrNothing
        /// At most `batch` rows at a time come into force, bad rows passed over; the same file again goes on where an earlier
        /// run stopped.
        case resumable(batch: Int = 1_000)
    }

    /// What plain passwords become.
    public enum PasswordForm: String, Sendable, CaseIterable {
        /// A slow hash at the hasher's cost, computed on all cores.
        case slow
        /// A fast hash under the hasher's pepper: for very large files; safe only while the pepper is secret.
        case keyed
    }

    public struct Options: Sendable {
        public var mode: Mode
        /// Whether subscribers that are not in the file are removed; not those who registered by themselves.
        public var isReplacing: Bool
        /// What the identifier's column is called, such as `email`.
        public var identifierColumn: String
        public var separator: CSVFormat.Separator
        public var passwordForm: PasswordForm
        /// Whether plain passwords are folded like identifiers (see ``SQLiteSubscriberBackend/Proof/folds``).
        public var foldsProof: Bool
        /// How many bad rows are listed; all are counted.
        public var mostIssues: Int

        public init(
            mode: Mode = .allOrNothing, isReplacing: Bool = false, identifierColumn: String = "identifier",
            separator: CSVFormat.Separator = .comma, passwordForm: PasswordForm = .slow, foldsProof: Bool = false,
            mostIssues: Int = 1000
        ) {
            self.mode = mode
            self.isReplacing = isReplacing
            self.identifierColumn = identifierColumn
            self.separator = separator
            self.passwordForm = passwordForm
            self.foldsProof = foldsProof
            self.mostIssues = mostIssues
        }
    }

    let database: SubscriberDatabase
    let hasher: PasswordHasher
    let options: Options

    public init(into database: SubscriberDatabase, hasher: PasswordHasher, options: Options = Options()) {
        self.database = database
        self.hasher = hasher
        self.options = options
    }

    /// Imports the file, in short transactions whatever the mode: no other writer waits for more than a batch of rows.
    ///
    /// - Parameter progress: told after every quarter of a megabyte; what it throws ends the import.
    /// - Throws: ``ImportError`` for a file that can not be imported at all, and the database's errors. Bad rows are not
    ///   thrown but reported.
    public func run(
        file path: String, progress: @escaping @Sendable (ImportProgress) throws -> Void = { _ in }
    ) async throws -> ImportReport {
        let file = try ImportFile(path: path)
        defer { file.close() }
        let lock = try ImportLock(database: database.path)
        defer { withExtendedLifetime(lock) {} }
        // The index of identifiers is written all over; a larger page cache keeps most of it in memory.
        try await database.pool.writeWithoutTransaction { try $0.execute(sql: "PRAGMA cache_size = -65536") }
        defer {
            let database = database
            Task {
                try await database.pool.writeWithoutTransaction { try $0.execute(sql: "PRAGMA cache_size = -2000") }
            }
        }
        return try await ImportRun(file: file, import: self).perform(progress)
    }
}
