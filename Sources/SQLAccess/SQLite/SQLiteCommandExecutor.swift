import Foundation
import GRDB
import Primitives

/// Changes in a publisher's own SQLite file. The file is opened for each change, because changes are rare and the
/// file belongs to the publisher.
struct SQLiteCommandExecutor: SQLCommandExecutor {
    private let path: String
    private let statements: SQLCommandStatements

    init(path: String, _ statements: SQLCommandStatements) {
        self.path = path
        self.statements = statements
    }

    func make(_ change: SQLChange) async throws -> SQLChange.Outcome {
        // SQLite would create an empty file if none exists.
        guard FileManager.default.fileExists(atPath: path) else {
            throw SQLiteCommandFailure(cause: "there is no file")
        }
        do {
            var configuration = Configuration()
            configuration.busyMode = .timeout(5)
            let statements = statements
            return try await DatabaseQueue(path: path, configuration: configuration).writeWithoutTransaction { db in
                if let creation = statements.creation { try db.execute(sql: creation.sql) }
                return try SQLiteTransaction(db: db).make(change, statements)
            }
        } catch let error as DatabaseError {
            // Report the codes only: the message may quote a value.
            let cause = "SQLite returned the code \(error.extendedResultCode.rawValue)"
            if [.SQLITE_CONSTRAINT, .SQLITE_MISMATCH].contains(error.resultCode) {
                throw SQLCommandRejected(cause: cause)
            }
            throw SQLiteCommandFailure(cause: cause)
        }
    }
}

/// The cause of a failed change in a SQLite file.
struct SQLiteCommandFailure: BackendFailure, Equatable {
    let cause: String
}

private struct SQLiteTransaction: SQLTransaction {
    let db: Database

    func begin() throws { try db.beginTransaction(.immediate) }

    func run(_ sql: String, _ values: [String?]) throws -> Int? {
        let before = db.totalChangesCount
        try db.execute(sql: sql, arguments: StatementArguments(values))
        return db.totalChangesCount - before
    }

    func hasRow(_ sql: String, _ values: [String?]) throws -> Bool {
        try Row.fetchOne(db, sql: sql, arguments: StatementArguments(values)) != nil
    }

    func commit() throws { try db.commit() }

    func rollBack() throws {
        if db.isInsideTransaction { try db.rollback() }
    }
}
