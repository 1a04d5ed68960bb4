import Gatefold
import TestSupport

@testable import State

/// A database that counts the statements of its transactions.
struct CountingDatabase: StateDatabase {
    let base: any StateDatabase
    let statements: Locked<Int>

    private struct Transaction: StateTransaction {
        let base: any StateTransaction
        let statements: Locked<Int>
        var dialect: StateDialect { base.dialect }

        func forEach(_ sql: String, _ arguments: StateArguments, _ body: (StateRow) throws -> Void) throws {
            statements.withLock { $0 += 1 }
            try base.forEach(sql, arguments, body)
        }

        func execute(_ sql: String, _ arguments: StateArguments) throws -> Int {
            statements.withLock { $0 += 1 }
            return try base.execute(sql, arguments)
        }

        func changes(
            of table: String, _ columns: String, after position: ChangePosition, limit: Int,
            _ body: (StateRow) throws -> Void
        ) throws -> ChangeEnd {
            try base.changes(of: table, columns, after: position, limit: limit, body)
        }

        func renewChanges(of table: String) throws { try base.renewChanges(of: table) }
        func lastNumber(in table: String, _ column: String) throws -> Int64 {
            try base.lastNumber(in: table, column)
        }
        func setLastNumber(_ number: Int64, in table: String, _ column: String) throws {
            try base.setLastNumber(number, in: table, column)
        }
        func recordProgress() throws { try base.recordProgress() }
        func unknownMigrations() throws -> [String] { try base.unknownMigrations() }
    }

    func read<Value: Sendable>(
        locking tables: [String], _ body: @escaping @Sendable (any StateTransaction) throws -> Value
    ) async throws -> Value {
        try await base.read(locking: tables) { try body(Transaction(base: $0, statements: statements)) }
    }

    func write<Value: Sendable>(
        _ isolation: StateIsolation, _ body: @escaping @Sendable (any StateTransaction) throws -> Value
    ) async throws -> Value {
        try await base.write(isolation) { try body(Transaction(base: $0, statements: statements)) }
    }

    func checkIdentity() async throws { try await base.checkIdentity() }
    func health() async throws { try await base.health() }
    func maintain() async throws { try await base.maintain() }
    func close() throws { try base.close() }
}
