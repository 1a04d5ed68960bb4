import Foundation
import Gatefold
import PostgreSQL

/// A transaction in a PostgreSQL database.
struct PostgreSQLTransaction: StateTransaction {
    let connection: any PostgreSQLSession
    let limits: PostgreSQLConnection.Limits
    let dialect = StateDialect.postgreSQL

    func forEach(_ sql: String, _ arguments: StateArguments, _ body: (StateRow) throws -> Void) throws {
        let statement = PostgreSQLStatement(sql, arguments)
        let result = try connection.query(statement.sql, statement.values, limits)
        for row in result.rows {
            try body(StateRow(values: zip(row, result.types).map { StateValue(text: $0, type: $1) }))
        }
    }

    @discardableResult
    func execute(_ sql: String, _ arguments: StateArguments) throws -> Int {
        let statement = PostgreSQLStatement(sql, arguments)
        return try connection.change(statement.sql, statement.values, limits) ?? 0
    }

    /// Transactions become visible at their commit, in another order than that in which they got their numbers. A pass
    /// therefore reads the changes of the transactions that were in progress when the previous pass started, and of
    /// those that started later.
    ///
    /// Source: Pitfall 25, “`WHERE sequence > ?` on PostgreSQL loses rows”.
    func changes(
        of table: String, _ columns: String, after position: ChangePosition, limit: Int,
        _ body: (StateRow) throws -> Void
    ) throws -> ChangeEnd {
        let (present, history) = try present()
        // The numbers of transactions mean something else in a restored database, or after a standby became the
        // primary. All changes are then read again.
        let isComparable = position.history == history && position.read.end <= present.end
        var end = isComparable ? position : ChangePosition(history: history)
        let isFirstPage = end.transaction == 0
        let reached = end.reached ?? present
        end.reached = reached
        var count = 0
        try forEach(
            """
            SELECT sequence, \(columns), xid::text::bigint AS number FROM \(table)
            WHERE (xid >= ?::xid8 OR xid = ANY (?::xid8[]))\(isFirstPage ? "" : " AND (xid, sequence) > (?::xid8, ?)")
            ORDER BY xid, sequence LIMIT ?
            """,
            [String(end.read.end), "{\(end.read.open.map { String($0) }.joined(separator: ","))}"]
                + (isFirstPage ? [] : [String(end.transaction), end.sequence] as StateArguments) + [limit]
        ) { row in
            count += 1
            end.sequence = try StateRow.integer(row, 0, table)
            end.transaction = try StateRow.integer(row, row.values.count - 1, table)
            try body(row)
        }
        guard count < limit else { return ChangeEnd(position: end, isLast: false) }
        return ChangeEnd(position: ChangePosition(read: reached, history: history), isLast: true)
    }

    func renewChanges(of table: String) throws {
        // The rows of a dump have the transactions of the database that it was made of.
        try execute("UPDATE \(table) SET xid = pg_current_xact_id()")
    }

    func lastNumber(in table: String, _ column: String) throws -> Int64 {
        // A sequence that assigned nothing names its first number as the last one.
        try integer(
            """
            SELECT CASE WHEN is_called THEN last_value ELSE last_value - 1 END
            FROM \(Self.sequence(of: table, column))
            """) ?? 0
    }

    func setLastNumber(_ number: Int64, in table: String, _ column: String) throws {
        _ = try row("SELECT setval('\(Self.sequence(of: table, column))', ?, false)", [number + 1])
    }

    /// Does nothing, because a server's files are not replaced like a state file. A restored dump is a restore, see
    /// ``SQLStateStore/endAllSessions()``.
    package func recordProgress() throws {}

    package func unknownMigrations() throws -> [String] {
        try allTexts(
            "SELECT number || ' ' || name FROM migration WHERE number > ? ORDER BY number",
            [PostgreSQLStateSchema.migrations.last?.number])
    }

    /// Returns the name that PostgreSQL gives to the sequence of an identity column.
    private static func sequence(of table: String, _ column: String) -> String { "\(table)_\(column)_seq" }

    /// Returns the transactions that have ended in the snapshot of this transaction, and the history of the database.
    ///
    /// The history is the generation of the state with the timeline of the server, and what changes when the server starts
    /// or recovers from a crash: a server that crashed assigns numbers again whose transactions left no trace.
    private func present() throws -> (ChangePosition.Horizon, history: String) {
        let row = try row(
            """
            SELECT pg_current_snapshot()::text, concat_ws(
                ' ', encode(id, 'hex'), left(pg_walfile_name(pg_current_wal_lsn()), 8), pg_postmaster_start_time(),
                (SELECT stats_reset FROM pg_stat_archiver))
            FROM generation
            """)
        guard let row, let horizon = ChangePosition.Horizon(snapshot: try StateRow.text(row, 0, "generation")) else {
            throw StateStoreError.unreadableRow(table: "generation")
        }
        return (horizon, try StateRow.text(row, 1, "generation"))
    }
}

extension ChangePosition.Horizon {
    /// - Parameter snapshot: The text of a `pg_snapshot`, such as `10:20:10,14,15`: the earliest transaction in
    ///   progress, the first that had not started, and all in progress (PostgreSQL manual, 9.26.8).
    init?(snapshot: String) {
        let parts = snapshot.split(separator: ":", omittingEmptySubsequences: false)
        guard parts.count == 3, let end = Int64(parts[1]) else { return nil }
        let open = parts[2].split(separator: ",").map { Int64($0) }
        guard open.allSatisfy({ $0 != nil }) else { return nil }
        self.init(end: end, open: open.compactMap(\.self))
    }
}
