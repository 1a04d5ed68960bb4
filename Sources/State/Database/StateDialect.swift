/// The few words in which the SQL of the databases differs.
package struct StateDialect: Sendable {
    /// The join whose left side is read first. SQLite's planner must not exchange the sides.
    package let orderedJoin: String
    /// The clause after `store_transaction t` that selects the index on the purchase.
    package let byPurchase: String
    /// The prefix of a column that must not be looked up in an index.
    package let unindexed: String
    /// The clause after a query that locks its rows until the end of the transaction. A writer of SQLite has locked the
    /// whole database.
    package let forUpdate: String
    /// The end of a query that locks its rows and leaves out those that another transaction has locked. SQLite has one writer.
    package let skippingLocked: String
    /// The statement after which a transaction may pause for longer than a statement may take; nil if it always may.
    package let allowsPauses: String?
    /// Returns the expression for the stored bytes of a text column. SQLite may store bytes that are no text, and returns
    /// another text for them.
    package let textBytes: @Sendable (_ column: String) -> String
    /// Returns the query for whether a table exists.
    package let tableExists: @Sendable (_ table: String) -> String

    package static let sqlite = StateDialect(
        orderedJoin: "CROSS JOIN", byPurchase: "INDEXED BY store_transaction_original", unindexed: "+",
        forUpdate: "", skippingLocked: "", allowsPauses: nil, textBytes: { "CAST(\($0) AS BLOB)" },
        tableExists: { "SELECT EXISTS (SELECT 1 FROM sqlite_schema WHERE type = 'table' AND name = '\($0)')" })
    package static let postgreSQL = StateDialect(
        orderedJoin: "JOIN", byPurchase: "", unindexed: "", forUpdate: " FOR UPDATE",
        skippingLocked: " FOR UPDATE SKIP LOCKED", allowsPauses: "SET LOCAL idle_in_transaction_session_timeout = 0",
        textBytes: { "convert_to(\($0), 'UTF8')" }, tableExists: { "SELECT to_regclass('\($0)') IS NOT NULL" })
}
