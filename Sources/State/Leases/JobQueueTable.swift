import Foundation

/// A table of work items that wait until they are due. One process at a time works on a row.
///
/// A row has the time at which it is due, the time at which that value was set (see ``DueDate``), and the `lease`
/// of the process that works on it: bytes that are unique to the attempt. A claimed row is due again when its lease
/// ends, even if its process died. An update by a process whose lease has passed to another process has no effect.
struct JobQueueTable {
    let name: String
    /// The column of the due time and the column of the time at which it was set.
    let due: String
    let set: String

    static let deliveries = JobQueueTable(name: DeliveryRow.table, due: "next", set: "next_set")
    static let mail = JobQueueTable(name: "mail", due: "next", set: "next_set")
    static let receipts = JobQueueTable(name: ReceiptRow.table, due: "due", set: "due_set")
    /// Purchases that wait for reverification or acknowledgement.
    static let purchases = JobQueueTable(name: "purchase", due: "retry_after", set: "retry_after_set")

    /// Claims a row that is due.
    ///
    /// - Parameter condition: The condition that finds the row.
    /// - Returns: True if the row was due.
    func claim(
        _ db: any StateTransaction, where condition: String, _ row: StateArguments, lease: [UInt8], at timestamp: Date,
        until end: Date
    ) throws -> Bool {
        try !claim(db, where: condition, row, lease: lease, at: timestamp, until: end, returning: "1").isEmpty
    }

    /// Claims the rows that are due.
    ///
    /// - Parameters:
    ///   - condition: The condition that finds the rows.
    ///   - change: Further assignments, such as `attempts = attempts + 1`.
    ///   - columns: The columns that are returned of each claimed row.
    func claim(
        _ db: any StateTransaction, where condition: String, _ rows: StateArguments, lease: [UInt8], at timestamp: Date,
        until end: Date, setting change: String? = nil, returning columns: String
    ) throws -> [StateRow] {
        try db.rows(
            """
            UPDATE \(name) SET lease = ?, \(due) = ?, \(set) = ?\(change.map { ", " + $0 } ?? "")
            WHERE \(condition) AND \(DueDate.condition(due, set: set)) RETURNING \(columns)
            """,
            [Data(lease), end.timeIntervalSince1970, timestamp.timeIntervalSince1970] + rows
                + DueDate.arguments(at: timestamp))
    }

    /// Releases a row and schedules it for a later time.
    ///
    /// - Parameters:
    ///   - lease: The lease of the claim; nil if this process did not claim the row. No other process may hold it
    ///     then.
    ///   - change: Further assignments, with their arguments.
    func rest(
        _ db: any StateTransaction, where condition: String, _ row: StateArguments, lease: [UInt8]?, at timestamp: Date,
        until next: Date, setting change: String? = nil, _ values: StateArguments = []
    ) throws {
        let (isOurs, ownership): (String, StateArguments) =
            if let lease {
                ("lease = ?", [Data(lease)])
            } else {
                ("(lease IS NULL OR \(DueDate.condition(due, set: set)))", DueDate.arguments(at: timestamp))
            }
        try db.execute(
            """
            UPDATE \(name) SET lease = NULL, \(due) = ?, \(set) = ?\(change.map { ", " + $0 } ?? "")
            WHERE \(condition) AND \(isOurs)
            """, [next.timeIntervalSince1970, timestamp.timeIntervalSince1970] + values + row + ownership)
    }
}
