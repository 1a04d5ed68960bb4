public import CSV
import Foundation
public import PasswordHashing

/// An import of subscribers from a file of separated values into the subscriber database, for files of any size.
///
/// The first row names the columns: `identifier` (or the name in the options), `password` or `password_hash`,
/// `state`, `message`, `all_editions`, `periods`, `editions`, `categories`. A row replaces the stored values of the
/// columns that the file has. An empty cell removes the value. Columns that the file does not have remain
/// unchanged.
public struct SubscriberImport: Sendable {
    public enum Mode: Sendable, Equatable {
        /// All rows become active at once. A single bad row prevents every change.
        case allOrNothing
        /// Batches of at most `batch` rows become active one after the other. Bad rows are skipped. Importing the
        /// same file again resumes where an earlier run stopped. Default: 1,000 rows.
        case resumable(batch: Int = 1_000)
    }

    /// The hash format of imported plain passwords.
    public enum PasswordFormat: String, Sendable, CaseIterable {
        /// A slow hash at the hasher's cost, computed on all cores.
        case slow
        /// A fast hash under the hasher's pepper, for very large files. It is safe only as long as the pepper is
        /// secret.
        case keyed
    }

    public struct Options: Sendable {
        public var mode: Mode
        /// A Boolean value that indicates whether subscribers that are not in the file are removed. Subscribers who
        /// registered through self-service stay. Default: false.
        public var isReplacing: Bool
        /// The name of the identifier column, such as `email`. Default: `identifier`.
        public var identifierColumn: String
        public var separator: CSVFormat.Separator
        public var passwordFormat: PasswordFormat
        /// A Boolean value that indicates whether plain passwords are folded like identifiers (see
        /// ``SubscriberDatabaseBackend/Proof/folds``). Default: false.
        public var foldsProof: Bool
        /// The maximum number of listed bad rows. All bad rows are counted. Default: 1,000.
        public var maxIssues: Int

        public init(
            mode: Mode = .allOrNothing, isReplacing: Bool = false, identifierColumn: String = "identifier",
            separator: CSVFormat.Separator = .comma, passwordFormat: PasswordFormat = .slow, foldsProof: Bool = false,
            maxIssues: Int = 1000
        ) {
            self.mode = mode
            self.isReplacing = isReplacing
            self.identifierColumn = identifierColumn
            self.separator = separator
            self.passwordFormat = passwordFormat
            self.foldsProof = foldsProof
            self.maxIssues = maxIssues
        }
    }

    let database: SubscriberDatabase
    let hasher: PasswordHasher
    let options: Options
    let didTakeEffect: @Sendable () async -> Void

    /// Creates an import.
    ///
    /// - Parameters:
    ///   - database: The database that receives the rows.
    ///   - hasher: The hasher of passwords in plain text.
    ///   - options: The options of the import.
    ///   - didTakeEffect: Called after rows have taken effect: when all of them do so at once, and at the
    ///     end, also if it is an error.
    public init(
        into database: SubscriberDatabase, hasher: PasswordHasher, options: Options = Options(),
        didTakeEffect: @escaping @Sendable () async -> Void = {}
    ) {
        self.database = database
        self.hasher = hasher
        self.options = options
        self.didTakeEffect = didTakeEffect
    }

    /// Imports the file. Every mode uses short transactions, so that no other writer waits for more than one batch
    /// of rows.
    ///
    /// - Parameters:
    ///   - path: The path of the file.
    ///   - progress: Called after every 256 KiB. An error that it throws ends the import.
    /// - Throws: ``ImportError`` for a file that cannot be imported at all, and errors of the database. Bad rows
    ///   are reported and not thrown.
    public func run(
        file path: String, progress: @escaping @Sendable (ImportProgress) throws -> Void = { _ in }
    ) async throws -> ImportReport {
        let file = try ImportFile(path: path)
        defer { file.close() }
        let lock = try await database.store.lockImports()
        let result: Result<ImportReport, any Error>
        do {
            result = .success(try await ImportRun(file: file, lock: lock, import: self).perform(progress))
        } catch {
            result = .failure(error)
        }
        // The lock is released even if the task is cancelled.
        await Task { await lock.release() }.value
        return try result.get()
    }
}
