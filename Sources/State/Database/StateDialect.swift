/// The few words in which the SQL of the databases differs.
struct StateDialect: Sendable {
    /// The join whose left side is read first. SQLite's planner must not exchange the sides.
    let orderedJoin: String
    /// The clause after `store_transaction t` that selects the index on the purchase.
    let byPurchase: String
    /// The prefix of a column that must not be looked up in an index.
    let unindexed: String

    static let sqlite = StateDialect(
        orderedJoin: "CROSS JOIN", byPurchase: "INDEXED BY store_transaction_original", unindexed: "+")
    static let postgreSQL = StateDialect(orderedJoin: "JOIN", byPurchase: "", unindexed: "")
}
