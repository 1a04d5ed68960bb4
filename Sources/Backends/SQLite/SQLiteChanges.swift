import Foundation
import GRDB
import Gatefold

/// Changes in a publisher's own SQLite file, which is opened for each: changes are rare, and the file is theirs.
struct SQLiteChanges: SQLChanging {
    private let path: String
    private let statements: SQLChangeStatements

    init(path: String, _ statements: SQLChangeStatements) {
        self.path = path
        self.statements = statements
    }

    func make(_ change: SQLChange) async throws -> SQLChange.Outcome {
        // SQLite would make an empty file in its place.
        guard FileManager.default.fileExists(atPath: path) else { throw SQLiteChangeFailure(cause: "there is no file") }
        do {
            var configuration = Configuration()
            configuration.busyMode = .timeout(5)
            let statements = statements
            return try await DatabaseQueue(path: path, configuration: configuration).writeWithoutTransaction { db in
                if let creation = statements.creation { try db.execute(sql: creation.sql) }
                return try SQLiteTransaction(db: db).make(change, statements)
            }
        } catch let error as DatabaseError {
            // The codes alone: the message may quote a value.
            let cause = "SQLite answered with the code \(error.extendedResultCode.rawValue)"
            if [.SQLITE_CONSTRAINT, .SQLITE_MISMATCH].contains(error.resultCode) {
                throw SQLChangeRefused(cause: cause)
            }
            throw SQLiteChangeFailure(cause: cause)
        }
    }
}

/// Why a SQLite file could not be changed.
struct SQLiteChangeFailure: BackendFailure, Equatable {
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
