extension StateSchema {
    static let leases = """
        -- The tasks that one process of all does, each until its lease ends.
        CREATE TABLE lease (
            name TEXT NOT NULL PRIMARY KEY,
            owner BLOB NOT NULL, -- unique to the run of the task
            ends REAL NOT NULL, -- unless it is extended
            ends_set REAL NOT NULL -- when ends was set, as receipt.due_set
        ) STRICT, WITHOUT ROWID;
        """
}
