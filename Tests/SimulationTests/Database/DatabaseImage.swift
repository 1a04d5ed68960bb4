import Foundation
import GRDBSQLite

@testable import State

/// The committed rows of a simulated PostgreSQL server, in SQLite in memory, with the tables of the state.
///
/// A statement runs against the rows that its transaction sees. The image reports the rows that it changed, and then takes
/// the changes back: they take effect when the transaction commits.
final class DatabaseImage: Sendable {
    /// A changed row. Nil stands for a row that does not exist.
    struct Change: Sendable {
        let table: String
        let old: [StateValue]?
        var new: [StateValue]?

        var reversed: Change { Change(table: table, old: new, new: old) }
    }

    /// A value that must be unique in a table: of the primary key or of another one.
    struct RowKey: Hashable, Sendable {
        let table: String
        let index: Int
        let values: [StateValue]
    }

    struct Table {
        let columns: [String]
        /// The positions of the columns of each unique key. The first key is the primary key.
        let keys: [[Int]]
        let xidColumn: Int?
    }

    /// An error of SQLite, which means that the simulation cannot run the statement.
    struct Unsupported: Error {
        let sql: String
        let message: String
    }

    struct Result {
        var rows: [[StateValue]] = []
        var columns: [String] = []
        var changed = 0
    }

    nonisolated(unsafe) private var handle: OpaquePointer?
    nonisolated(unsafe) private var statements: [String: OpaquePointer] = [:]
    nonisolated(unsafe) private(set) var tables: [String: Table] = [:]
    /// The changes of the running statement; nil while the image itself changes rows.
    nonisolated(unsafe) private var captured: [Change]?
    /// The tables that were changed since the last ``reset()``.
    nonisolated(unsafe) private var used: Set<String> = []

    private static let transient = unsafeBitCast(-1, to: sqlite3_destructor_type.self)
    private static let followed = ["revocation", "shared_fact"]

    init() throws {
        sqlite3_open(":memory:", &handle)
        try script(
            [
                StateSchema.sessions, StateSchema.receipts, StateSchema.purchases, StateSchema.deliveries,
                StateSchema.push, StateSchema.accounts, StateSchema.generations, StateSchema.pinCodes,
                StateSchema.sharedFacts, StateSchema.retention, StateSchema.leases, StateSchema.counters,
                StateSchema.nodes, StateSchema.nodeURLs, StateSchema.documents, StateSchema.mail,
                StateSchema.timeline, StateSchema.administration,
            ].joined(separator: "\n"))
        for table in Self.followed {
            try script("ALTER TABLE \(table) ADD COLUMN xid INTEGER NOT NULL DEFAULT 0")
            try script("INSERT INTO sqlite_sequence (name, seq) VALUES ('\(table)', 0)")
        }
        let names = try run("SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE 'sqlite%'", []).rows
        for case .text(let name) in names.map({ $0[0] }) { tables[name] = try describe(name) }
        sqlite3_create_function(
            handle, "captured", -1, SQLITE_UTF8, Unmanaged.passUnretained(self).toOpaque(),
            { context, count, values in
                guard let context, let values else { return }
                let image = Unmanaged<DatabaseImage>.fromOpaque(sqlite3_user_data(context)).takeUnretainedValue()
                image.capture((0..<Int(count)).map { DatabaseImage.value(values[$0]) })
            }, nil, nil)
        for (name, table) in tables.sorted(by: { $0.key < $1.key }) {
            func values(_ row: String) -> String { table.columns.map { "\(row).\"\($0)\"" }.joined(separator: ", ") }
            for (event, rows) in [
                ("INSERT", "1, \(values("NEW"))"), ("DELETE", "2, \(values("OLD"))"),
                ("UPDATE", "3, \(values("OLD")), \(values("NEW"))"),
            ] {
                try script(
                    """
                    CREATE TRIGGER captured_\(name)_\(event) AFTER \(event) ON \(name)
                    BEGIN SELECT captured('\(name)', \(rows)); END
                    """)
            }
        }
    }

    deinit {
        for statement in statements.values { sqlite3_finalize(statement) }
        sqlite3_close_v2(handle)
    }

    private func describe(_ name: String) throws -> Table {
        let columns = try run("SELECT name, pk FROM pragma_table_info('\(name)') ORDER BY cid", []).rows
        let names = columns.compactMap { row -> String? in if case .text(let text) = row[0] { text } else { nil } }
        let primary = columns.indices.filter { columns[$0][1] != .integer(0) }.sorted {
            guard case .integer(let first) = columns[$0][1], case .integer(let second) = columns[$1][1] else {
                return false
            }
            return first < second
        }
        let unique = try run(
            """
            SELECT l.name, i.cid FROM pragma_index_list('\(name)') l, pragma_index_info(l.name) i
            WHERE l."unique" = 1 AND l.origin = 'u' ORDER BY l.seq, i.seqno
            """, []
        ).rows
        var others: [StateValue: [Int]] = [:]
        for row in unique { if case .integer(let column) = row[1] { others[row[0], default: []].append(Int(column)) } }
        // A table without a primary key, such as `generation`, has one row.
        return Table(columns: names, keys: [primary] + others.values, xidColumn: names.firstIndex(of: "xid"))
    }

    /// Deletes all rows.
    func reset(generation: [UInt8]) throws {
        for table in used { try script("DELETE FROM \(table)") }
        used = ["generation"]
        try script("DELETE FROM generation")
        _ = try run("INSERT INTO generation (id) VALUES (?1)", [.bytes(Data(generation))])
        for table in Self.followed { try setLastNumber(0, of: table) }
    }

    func lastNumber(of table: String) throws -> Int64 {
        guard
            case .integer(let number)? = try run("SELECT seq FROM sqlite_sequence WHERE name = ?1", [.text(table)])
                .rows.first?.first
        else { return 0 }
        return number
    }

    func setLastNumber(_ number: Int64, of table: String) throws {
        _ = try run("UPDATE sqlite_sequence SET seq = ?1 WHERE name = ?2", [.integer(number), .text(table)])
    }

    /// Runs a statement of a transaction.
    ///
    /// - Parameters:
    ///   - unseen: The changes that the transaction does not see, the latest first, each already reversed.
    ///   - own: The earlier changes of the transaction.
    ///   - numbers: The last numbers of the followed tables, which a statement advances even if it is taken back.
    func run(
        _ sql: String, _ values: [StateValue], unseen: [Change], own: [Change], numbers: inout [String: Int64]
    ) throws -> (Result, [Change]) {
        let isQuery = sql.hasPrefix("SELECT")
        if isQuery, unseen.isEmpty, own.isEmpty { return (try run(sql, values), []) }
        try script("SAVEPOINT statement")
        defer { try? script("ROLLBACK TO statement; RELEASE statement") }
        for change in unseen + own { try apply(change) }
        let followed = isQuery ? nil : Self.followed.first { sql.contains("INSERT INTO \($0) ") }
        if let followed { try setLastNumber(numbers[followed, default: 0], of: followed) }
        captured = []
        defer { captured = nil }
        let result = try run(sql, values)
        let changes = captured ?? []
        captured = nil
        if let followed { numbers[followed] = try lastNumber(of: followed) }
        return (result, changes)
    }

    /// Applies a change of a committed transaction.
    func apply(_ change: Change) throws {
        guard let table = tables[change.table] else { return }
        used.insert(change.table)
        let key = table.keys[0]
        if let old = change.old, change.new == nil || key.contains(where: { old[$0] != change.new?[$0] }) || key.isEmpty
        {
            let condition =
                key.isEmpty
                ? "1" : key.enumerated().map { "\"\(table.columns[$1])\" = ?\($0 + 1)" }.joined(separator: " AND ")
            _ = try run("DELETE FROM \(change.table) WHERE \(condition)", key.map { old[$0] })
        }
        if let new = change.new {
            let numbers = (1...new.count).map { "?\($0)" }.joined(separator: ", ")
            _ = try run("INSERT OR REPLACE INTO \(change.table) VALUES (\(numbers))", new)
        }
    }

    /// Returns the unique values of a changed row, which the transaction locks.
    func keys(of change: Change) -> [RowKey] {
        guard let table = tables[change.table] else { return [] }
        return [change.old, change.new].compactMap(\.self).flatMap { row in
            table.keys.enumerated().map { index, columns in
                RowKey(table: change.table, index: index, values: columns.map { row[$0] })
            }
        }
    }

    /// Runs a statement that is not part of a transaction.
    func run(_ sql: String, _ values: [StateValue]) throws -> Result {
        let statement = try prepare(sql)
        defer {
            sqlite3_reset(statement)
            sqlite3_clear_bindings(statement)
        }
        for (index, value) in values.enumerated() { bind(value, at: CInt(index + 1), of: statement) }
        var result = Result()
        let count = sqlite3_column_count(statement)
        while true {
            switch sqlite3_step(statement) {
            case SQLITE_ROW: result.rows.append((0..<count).map { Self.value(sqlite3_column_value(statement, $0)) })
            case SQLITE_DONE:
                result.changed = count > 0 ? result.rows.count : Int(sqlite3_changes(handle))
                return result
            default: throw Unsupported(sql: sql, message: String(cString: sqlite3_errmsg(handle)))
            }
        }
    }

    private func script(_ sql: String) throws {
        guard sqlite3_exec(handle, sql, nil, nil, nil) == SQLITE_OK else {
            throw Unsupported(sql: sql, message: String(cString: sqlite3_errmsg(handle)))
        }
    }

    private func prepare(_ sql: String) throws -> OpaquePointer? {
        if let statement = statements[sql] { return statement }
        var statement: OpaquePointer?
        guard sqlite3_prepare_v2(handle, sql, -1, &statement, nil) == SQLITE_OK else {
            throw Unsupported(sql: sql, message: String(cString: sqlite3_errmsg(handle)))
        }
        statements[sql] = statement
        return statement
    }

    private func bind(_ value: StateValue, at index: CInt, of statement: OpaquePointer?) {
        switch value {
        case .null: sqlite3_bind_null(statement, index)
        case .integer(let value): sqlite3_bind_int64(statement, index, value)
        case .real(let value): sqlite3_bind_double(statement, index, value)
        case .text(let value): sqlite3_bind_text(statement, index, value, -1, Self.transient)
        case .bytes(let value) where value.isEmpty: sqlite3_bind_zeroblob(statement, index, 0)
        case .bytes(let value):
            value.withUnsafeBytes { bytes in
                _ = sqlite3_bind_blob(statement, index, bytes.baseAddress, CInt(bytes.count), Self.transient)
            }
        }
    }

    private static func value(_ value: OpaquePointer?) -> StateValue {
        switch sqlite3_value_type(value) {
        case SQLITE_INTEGER: .integer(sqlite3_value_int64(value))
        case SQLITE_FLOAT: .real(sqlite3_value_double(value))
        case SQLITE_TEXT: .text(sqlite3_value_text(value).map { String(cString: $0) } ?? "")
        case SQLITE_BLOB:
            .bytes(
                sqlite3_value_blob(value).map { Data(bytes: $0, count: Int(sqlite3_value_bytes(value))) } ?? Data())
        default: .null
        }
    }

    private func capture(_ arguments: [StateValue]) {
        guard captured != nil, case .text(let table) = arguments[0], case .integer(let event) = arguments[1] else {
            return
        }
        let values = Array(arguments.dropFirst(2))
        let count = tables[table]?.columns.count ?? 0
        switch event {
        case 1: captured?.append(Change(table: table, old: nil, new: values))
        case 2: captured?.append(Change(table: table, old: values, new: nil))
        default: captured?.append(Change(table: table, old: Array(values[..<count]), new: Array(values[count...])))
        }
    }
}
