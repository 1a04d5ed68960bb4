extension StateSchema {
    static let sessions = """
        CREATE TABLE device (
            publication TEXT NOT NULL,
            subscriber BLOB NOT NULL,
            device BLOB NOT NULL,
            first_used REAL NOT NULL, -- seconds since 1970
            last_used REAL NOT NULL,
            PRIMARY KEY (publication, subscriber, device)
        ) STRICT, WITHOUT ROWID;
        -- AUTOINCREMENT: a sequence number is never used twice, so whoever follows misses nothing.
        CREATE TABLE revocation (
            sequence INTEGER PRIMARY KEY AUTOINCREMENT,
            publication TEXT NOT NULL,
            subscriber BLOB NOT NULL,
            session BLOB NOT NULL, -- empty: every session of the subscriber
            before REAL NOT NULL,
            UNIQUE (publication, subscriber, session)
        ) STRICT;
        CREATE TABLE acquaintance (
            digest BLOB NOT NULL PRIMARY KEY,
            seen REAL NOT NULL
        ) STRICT, WITHOUT ROWID;
        CREATE INDEX acquaintance_seen ON acquaintance (seen);
        """
}
