extension StateSchema {
    static let accounts = """
        -- AUTOINCREMENT: the number of an account that was erased never names another.
        CREATE TABLE account (
            number INTEGER PRIMARY KEY AUTOINCREMENT,
            publication TEXT NOT NULL,
            owner BLOB NOT NULL, -- 16 bytes of PurchaseOwner
            uuid TEXT NOT NULL UNIQUE, -- in lower case
            identifier TEXT NOT NULL, -- as typed last
            folded TEXT NOT NULL, -- the identifier in the form in which it is compared
            full_name TEXT,
            date_of_birth TEXT, -- YYYY-MM-DD
            referrer TEXT,
            metadata TEXT NOT NULL, -- a JSON object of texts
            created REAL NOT NULL,
            updated REAL NOT NULL,
            UNIQUE (publication, owner)
        ) STRICT;
        CREATE INDEX account_owner ON account (owner);
        CREATE INDEX account_identifier ON account (publication, folded);
        CREATE INDEX account_order ON account (publication, number);
        -- The numbers that apps know things for sale by. AUTOINCREMENT: a number never stands for another name.
        CREATE TABLE item_number (
            number INTEGER PRIMARY KEY AUTOINCREMENT,
            publication TEXT NOT NULL,
            name TEXT NOT NULL, -- SoldItem.name
            UNIQUE (publication, name)
        ) STRICT;
        """

    /// The number before the first one given out; elsewhere `START WITH` says it.
    static let firstItemNumber = "INSERT INTO sqlite_sequence (name, seq) VALUES ('item_number', ?)"

    /// The session that a revocation of all of its subscriber's does not end, see `SparedSession`.
    static let sparedSessions = """
        ALTER TABLE revocation ADD COLUMN spared_session BLOB; -- NULL: it ends all
        ALTER TABLE revocation ADD COLUMN spared_issued REAL; -- with a session: one issued before it is ended
        """
}
