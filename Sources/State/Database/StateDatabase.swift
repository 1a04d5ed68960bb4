package import Foundation
package import Gatefold
import SQLAccess

/// A database with the tables of a state.
///
/// Source: Design, “State: one protocol, two stores, many nodes”.
package protocol StateDatabase: Sendable {
    /// Runs the body in a transaction that sees the state as of one moment, from which on the columns of some tables do not
    /// change.
    func read<Value: Sendable>(
        locking tables: [String], _ body: @escaping @Sendable (any StateTransaction) throws -> Value
    ) async throws -> Value

    /// Runs the body in a transaction. When the call returns, the changes are durable.
    ///
    /// A database may run the body several times, so the body has no effects outside the transaction.
    @discardableResult
    func write<Value: Sendable>(
        _ isolation: StateIsolation, _ body: @escaping @Sendable (any StateTransaction) throws -> Value
    ) async throws -> Value

    /// Checks that this is still the database that the other processes use.
    func checkIdentity() async throws

    /// Checks that the database can read and write.
    ///
    /// - Throws: ``StateStoreError/unavailable(reason:)``, or the error that prevents writes.
    func health() async throws

    /// Deletes rows of the database's own. Call it often, because most calls cost nothing.
    func maintain() async throws

    func close() throws
}

extension StateDatabase {
    /// Runs the body in a transaction that sees the state as of one moment.
    package func read<Value: Sendable>(
        _ body: @escaping @Sendable (any StateTransaction) throws -> Value
    ) async throws -> Value {
        try await read(locking: [], body)
    }

    /// Runs the body in a transaction as if no other transaction ran at the same time.
    @discardableResult
    package func write<Value: Sendable>(
        _ body: @escaping @Sendable (any StateTransaction) throws -> Value
    ) async throws -> Value {
        try await write(.serializable, body)
    }
}

/// The statements of one transaction.
///
/// A statement is in the common part of the SQL of SQLite and PostgreSQL. Each `?` is a placeholder; no statement
/// contains a question mark otherwise.
package protocol StateTransaction {
    var dialect: StateDialect { get }

    /// Runs a query and passes each row to the closure.
    func forEach(_ sql: String, _ arguments: StateArguments, _ body: (StateRow) throws -> Void) throws

    /// Runs a statement that changes rows.
    ///
    /// - Returns: The number of changed rows.
    @discardableResult
    func execute(_ sql: String, _ arguments: StateArguments) throws -> Int

    /// Passes the rows to the closure that were inserted after a position, in an order in which none is missed. A row
    /// may be passed again.
    ///
    /// - Parameters:
    ///   - table: A table whose rows are never updated, with the column `sequence`.
    ///   - columns: The columns to read after `sequence`.
    func changes(
        of table: String, _ columns: String, after position: ChangePosition, limit: Int,
        _ body: (StateRow) throws -> Void
    ) throws -> ChangeEnd

    /// Marks all rows of a table as inserted by this transaction, so that followers read them again.
    func renewChanges(of table: String) throws

    /// Returns the last number that the database assigned to a row of the table; 0 if it assigned none.
    func lastNumber(in table: String, _ column: String) throws -> Int64

    /// Lets the database assign the numbers after the given one.
    func setLastNumber(_ number: Int64, in table: String, _ column: String) throws

    /// Counts a change that an older copy of the state would undo, so that such a copy is noticed, see ``StateGeneration``.
    func recordProgress() throws

    /// Returns the names of the migrations of newer releases that this release may work with but does not know.
    func unknownMigrations() throws -> [String]
}

/// The end of a page of changes.
package struct ChangeEnd {
    /// The position after which the next page starts.
    package let position: ChangePosition
    /// A Boolean value that indicates whether the page has all changes that are visible now.
    package let isLast: Bool
}

extension StateTransaction {
    /// Checks that this release knows all tables, because a copy would otherwise lack some.
    ///
    /// - Throws: `NewerSchema`.
    func rejectUnknown() throws {
        let unknown = try unknownMigrations()
        guard unknown.isEmpty else { throw NewerSchema(unknown: unknown) }
    }

    package func rows(_ sql: String, _ arguments: StateArguments = []) throws -> [StateRow] {
        var rows: [StateRow] = []
        try forEach(sql, arguments) { rows.append($0) }
        return rows
    }

    /// Returns the first row.
    package func row(_ sql: String, _ arguments: StateArguments = []) throws -> StateRow? {
        try rows(sql, arguments).first
    }

    @discardableResult
    package func execute(_ sql: String) throws -> Int { try execute(sql, []) }

    /// Returns the number in the first column of the first row; nil if there is none.
    package func real(_ sql: String, _ arguments: StateArguments = []) throws -> Double? {
        try first(sql, arguments) { if case .real(let value) = $0 { value } else { nil } }
    }

    /// Returns the integer in the first column of the first row; nil if there is none.
    package func integer(_ sql: String, _ arguments: StateArguments = []) throws -> Int64? {
        try first(sql, arguments) { if case .integer(let value) = $0 { value } else { nil } }
    }

    /// Returns the result of a query that counts rows.
    package func count(_ sql: String, _ arguments: StateArguments = []) throws -> Int {
        Int(try integer(sql, arguments) ?? 0)
    }

    /// Returns the result of a query for a truth value; false if it returns no row.
    package func isTrue(_ sql: String, _ arguments: StateArguments = []) throws -> Bool {
        try integer(sql, arguments) == 1
    }

    /// Returns the bytes in the first column of the first row; nil if there is none.
    package func bytes(_ sql: String, _ arguments: StateArguments = []) throws -> Data? {
        try first(sql, arguments, Self.bytes)
    }

    /// Returns the bytes in the first column of all rows.
    package func allBytes(_ sql: String, _ arguments: StateArguments = []) throws -> [Data] {
        try rows(sql, arguments).compactMap { try Self.value($0, Self.bytes) }
    }

    /// Returns the text in the first column of all rows.
    package func allTexts(_ sql: String, _ arguments: StateArguments = []) throws -> [String] {
        try rows(sql, arguments).compactMap { row in
            try Self.value(row) { if case .text(let value) = $0 { value } else { nil } }
        }
    }

    private func first<Value>(
        _ sql: String, _ arguments: StateArguments, _ read: (StateValue) -> Value?
    ) throws -> Value? {
        try row(sql, arguments).flatMap { try Self.value($0, read) }
    }

    /// Returns the first value of a row, or nil if it is NULL.
    ///
    /// - Throws: ``StateStoreError/unreadableRow(table:)`` if it has another type.
    private static func value<Value>(_ row: StateRow, _ read: (StateValue) -> Value?) throws -> Value? {
        guard let value = row.values.first, value != .null else { return nil }
        guard let known = read(value) else { throw StateStoreError.unreadableRow(table: "state") }
        return known
    }

    private static func bytes(_ value: StateValue) -> Data? { if case .bytes(let bytes) = value { bytes } else { nil } }
}
