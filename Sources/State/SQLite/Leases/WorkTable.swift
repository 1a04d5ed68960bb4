import Foundation
import GRDB

/// A table of work that waits until it is due, of which each row is taken by one process at a time.
///
/// A row has the moment at which it is due, the one at which that was set (see ``DueMoment``), and the `lease` of the process
/// that works on it: bytes that no other attempt has. Taken, it is due again when the lease ends, whatever becomes of that
/// process. What a process says of a row whose lease has passed to another changes nothing.
struct WorkTable {
    let name: String
    /// The columns of the two moments.
    let due: String
    let set: String

    static let deliveries = WorkTable(name: DeliveryRow.table, due: "next", set: "next_set")
    static let receipts = WorkTable(name: ReceiptRow.table, due: "due", set: "due_set")
    /// Looked at again, or acknowledged.
    static let purchases = WorkTable(name: "purchase", due: "rest", set: "rest_set")

    /// Takes a row that is due.
    ///
    /// - Parameters:
    ///   - condition: finds the row.
    ///   - change: what else is set, such as `attempts = attempts + 1`.
    /// - Returns: whether it was due.
    func claim(
        _ db: Database, where condition: String, _ row: StatementArguments, lease: [UInt8], at moment: Date,
        until end: Date, setting change: String? = nil
    ) throws -> Bool {
        try db.execute(
            sql: """
                UPDATE \(name) SET lease = ?, \(due) = ?, \(set) = ?\(change.map { ", " + $0 } ?? "")
                WHERE \(condition) AND \(DueMoment.condition(due, set: set))
                """,
            arguments: [Data(lease), end.timeIntervalSince1970, moment.timeIntervalSince1970] + row
                + DueMoment.arguments(at: moment))
        return db.changesCount > 0
    }

    /// Gives a row back, to be due at a later moment.
    ///
    /// - Parameters:
    ///   - lease: the one it was taken with; nil where it was not taken: it then has to be nobody's.
    ///   - change: what else is set, with its arguments.
    func rest(
        _ db: Database, where condition: String, _ row: StatementArguments, lease: [UInt8]?, at moment: Date,
        until next: Date, setting change: String? = nil, _ values: StatementArguments = []
    ) throws {
        let (isOurs, whose): (String, StatementArguments) =
            if let lease {
                ("lease = ?", [Data(lease)])
            } else {
                ("(lease IS NULL OR \(DueMoment.condition(due, set: set)))", DueMoment.arguments(at: moment))
            }
        try db.execute(
            sql: """
                UPDATE \(name) SET lease = NULL, \(due) = ?, \(set) = ?\(change.map { ", " + $0 } ?? "")
                WHERE \(condition) AND \(isOurs)
                """,
            arguments: [next.timeIntervalSince1970, moment.timeIntervalSince1970] + values + row + whose)
    }
}
