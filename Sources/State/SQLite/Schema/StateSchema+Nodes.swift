extension StateSchema {
    static let nodes = """
        -- The servers that share the state, each with the concurrent backend calls that it may make.
        CREATE TABLE node (
            id BLOB NOT NULL PRIMARY KEY,
            name TEXT NOT NULL,
            version TEXT NOT NULL,
            started REAL NOT NULL,
            heard REAL NOT NULL, -- the last heartbeat
            behind REAL NOT NULL, -- the seconds since it last had all revocations
            draining INTEGER NOT NULL, -- 1: takes no new readers
            slots TEXT NOT NULL -- JSON: the number of calls by backend
        ) STRICT, WITHOUT ROWID;
        """

    static let nodeURLs = """
        -- The URL of the admin listener for the other nodes.
        ALTER TABLE node ADD COLUMN url TEXT;
        """
}
