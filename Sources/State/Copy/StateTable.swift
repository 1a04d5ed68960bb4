import Foundation

/// A table of the state, as a copy sees it.
struct StateTable: Sendable {
    let name: String
    /// The columns of the primary key, which order the rows in the same way in each database.
    let key: [String]
    let columns: [String]
    /// The column whose numbers the database assigns and never reuses; nil if there is none.
    let numbered: String?

    private init(_ name: String, key: String, _ others: String = "", numbered: Bool = false) {
        self.name = name
        self.key = key.split(separator: " ").map(String.init)
        columns = self.key + others.split(separator: " ").map(String.init)
        self.numbered = numbered ? key : nil
    }

    /// All tables whose rows a copy copies. Leases and nodes end with their processes, counters count for minutes, e-mails
    /// wait for minutes and would be sent twice, documents are fetched again, admin tokens and their outcomes grant access to
    /// one state only, `timeline_writer` is about the processes of its database, and so is the row of `generation`.
    static let all = [
        StateTable("token_bounds", key: "publication", "lifetime after_expiry pruned_until"),
        StateTable("store_clock", key: "id", "reading latest"),
        StateTable("device", key: "publication subscriber device", "first_used last_used"),
        StateTable(
            "revocation", key: "sequence",
            "publication subscriber session before exempt_session exempt_issued expires", numbered: true),
        StateTable("known_device", key: "digest", "seen identifier"),
        StateTable(
            "receipt", key: "id",
            """
            publication store owner digest credit_account credit_price credit_currency received stored status attempts due \
            due_set settled reason code lease parts
            """, numbered: true),
        StateTable(
            "store_transaction", key: "store id",
            """
            original product purchased expires grace grace_reported revoked quantity environment awaits_acknowledgement \
            reported
            """),
        StateTable(
            "purchase", key: "store original",
            "environment bought ends last_verified retry_after retry_after_set lease"),
        StateTable("claim", key: "store original owner", "claimed receipt verified"),
        StateTable("owner_link", key: "owner", "subscriber publication pseudonym sealed linked"),
        StateTable("store_event", key: "store id", "received"),
        StateTable(
            "delivery", key: "store transaction_id",
            """
            publication owner account price currency product quantity purchased environment ordered attempts next \
            next_set lease cause delivered
            """),
        StateTable("push_token", key: "sequence", "app environment token first registered", numbered: true),
        StateTable(
            "push_campaign", key: "name",
            "publication app environment edition begun position sent failed gone finished"),
        StateTable(
            "account", key: "number",
            """
            publication owner uuid identifier normalized full_name date_of_birth referrer metadata created updated
            """, numbered: true),
        StateTable("item_number", key: "number", "publication name", numbered: true),
        StateTable("pin_code", key: "account", "code ends attempts"),
        StateTable(
            "shared_fact", key: "sequence", "kind backend subject detail value recorded_at ends origin",
            numbered: true),
        StateTable(
            AuditRow.table, key: "sequence",
            "id time actor_kind actor publication action subject reason details previous hash"),
        StateTable(
            "reader_event", key: "sequence",
            """
            subject category publication time last_time count kind call reason device edition backend freshness detail \
            repetition
            """, numbered: true),
        StateTable("known_reader", key: "subject", "sealed"),
        StateTable("erased_reader", key: "subject", "erased seen"),
    ]

    /// The tables whose rows a restore replaces. Entries of the audit log are never deleted, see ``AuditLogRestore``.
    static let replaceable = all.filter { $0.name != AuditRow.table }

    /// Returns the rows after a key, in the order of the key.
    ///
    /// - Parameter after: The values of the key's columns; nil for the first rows.
    func rows(_ db: any StateTransaction, after key: [StateValue]?, limit: Int) throws -> [StateRow] {
        let condition =
            key == nil ? "" : "WHERE (\(self.key.joined(separator: ", "))) > (\(placeholders(self.key.count)))"
        return try db.rows(
            """
            SELECT \(columns.joined(separator: ", ")) FROM \(name) \(condition)
            ORDER BY \(self.key.joined(separator: ", ")) LIMIT ?
            """, (key ?? []) + [limit] as StateArguments)
    }

    /// Returns the key of the last row; nil if there is none.
    func lastKey(_ db: any StateTransaction) throws -> [StateValue]? {
        let order = key.map { "\($0) DESC" }.joined(separator: ", ")
        return try db.row("SELECT \(key.joined(separator: ", ")) FROM \(name) ORDER BY \(order) LIMIT 1")?.values
    }

    /// The maximum number of rows in one statement, which bounds its number of parameters.
    private static let rowsPerStatement = 100

    func insert(_ db: any StateTransaction, _ rows: [StateRow]) throws {
        let row = "(\(placeholders(columns.count)))"
        for start in stride(from: 0, to: rows.count, by: Self.rowsPerStatement) {
            let part = rows[start..<min(start + Self.rowsPerStatement, rows.count)]
            let values = Array(repeating: row, count: part.count).joined(separator: ", ")
            try db.execute(
                "INSERT INTO \(name) (\(columns.joined(separator: ", "))) VALUES \(values)",
                part.flatMap(\.values) as StateArguments)
        }
    }

    func count(_ db: any StateTransaction) throws -> Int { try db.count("SELECT count(*) FROM \(name)") }

    func key(of row: StateRow) -> [StateValue] { Array(row.values.prefix(key.count)) }

    private func placeholders(_ count: Int) -> String { Array(repeating: "?", count: count).joined(separator: ", ") }
}
