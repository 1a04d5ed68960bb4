extension StateSchema {
    /// The bounds until which revocations are stored, and the clock by which rows expire.
    static let retention = """
        -- The longest lifetimes that were ever configured.
        CREATE TABLE token_bounds (
            publication TEXT NOT NULL PRIMARY KEY,
            lifetime REAL NOT NULL, -- seconds
            after_expiry REAL NOT NULL, -- seconds after expiry in which a token is renewed or a download resumed
            pruned_until REAL NOT NULL -- the latest expiry of pruned revocations; 0: none was pruned
        ) STRICT, WITHOUT ROWID;
        -- StoreClock; one row.
        CREATE TABLE store_clock (
            id INTEGER NOT NULL PRIMARY KEY CHECK (id = 1),
            reading REAL NOT NULL,
            latest REAL NOT NULL
        ) STRICT;
        """
}
