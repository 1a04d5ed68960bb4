extension StateSchema {
    static let accounts = """
        -- AUTOINCREMENT: the number of an erased account is never reused.
        CREATE TABLE account (
            number INTEGER PRIMARY KEY AUTOINCREMENT,
            publication TEXT NOT NULL,
            owner BLOB NOT NULL, -- 16 bytes of PurchaseOwner
            uuid TEXT NOT NULL UNIQUE, -- in lower case
            identifier TEXT NOT NULL, -- as last typed
            normalized TEXT NOT NULL, -- the identifier in the form in which identifiers are compared
            full_name TEXT,
            date_of_birth TEXT, -- YYYY-MM-DD
            referrer TEXT,
            metadata TEXT NOT NULL, -- a JSON object of strings
            created REAL NOT NULL,
            updated REAL NOT NULL,
            UNIQUE (publication, owner)
        ) STRICT;
        CREATE INDEX account_owner ON account (owner);
        CREATE INDEX account_identifier ON account (publication, normalized);
        CREATE INDEX account_order ON account (publication, number);
        -- The numbers by which apps know items for sale. AUTOINCREMENT: a number never gets another name.
        CREATE TABLE item_number (
            number INTEGER PRIMARY KEY AUTOINCREMENT,
            publication TEXT NOT NULL,
            name TEXT NOT NULL, -- SaleItem.name
            UNIQUE (publication, name)
        ) STRICT;
        """

    /// Returns the statement that sets the number before the first one assigned. PostgreSQL has `START WITH` for it.
    static func firstItemNumber(_ last: Int64) -> String {
        "INSERT INTO sqlite_sequence (name, seq) VALUES ('item_number', \(last));"
    }
}
