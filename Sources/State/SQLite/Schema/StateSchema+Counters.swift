extension StateSchema {
    static let counters = """
        -- Counters of all nodes, such as those of wrong login attempts. The key is a keyed digest.
        CREATE TABLE rate_counter (
            key BLOB NOT NULL PRIMARY KEY,
            empty_at REAL NOT NULL -- when no event counts any more
        ) STRICT, WITHOUT ROWID;
        CREATE INDEX rate_counter_empty_at ON rate_counter (empty_at);
        """
}
