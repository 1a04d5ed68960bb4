extension StateSchema {
    static let sessions = """
        CREATE TABLE device (
            publication TEXT NOT NULL,
            subscriber BLOB NOT NULL,
            device BLOB NOT NULL,
            first_used REAL NOT NULL, -- seconds since 1970, as all times
            last_used REAL NOT NULL,
            PRIMARY KEY (publication, subscriber, device)
        ) STRICT, WITHOUT ROWID;
        -- AUTOINCREMENT: a sequence number is never reused, so that followers miss no row.
        CREATE TABLE revocation (
            sequence INTEGER PRIMARY KEY AUTOINCREMENT,
            publication TEXT NOT NULL,
            subscriber BLOB NOT NULL,
            session BLOB NOT NULL, -- empty: all sessions of the subscriber
            before REAL NOT NULL,
            exempt_session BLOB, -- the session of the subscriber that is not revoked; NULL: none
            exempt_issued REAL, -- with a session: if it was issued earlier, it is revoked
            expires REAL NOT NULL, -- no revoked token expires later
            UNIQUE (publication, subscriber, session)
        ) STRICT;
        CREATE INDEX revocation_expires ON revocation (publication, expires);
        CREATE TABLE known_device (
            digest BLOB NOT NULL PRIMARY KEY,
            seen REAL NOT NULL, -- by the store's clock
            identifier BLOB NOT NULL -- a digest of the reader's identifier
        ) STRICT, WITHOUT ROWID;
        CREATE INDEX known_device_seen ON known_device (seen);
        CREATE INDEX known_device_identifier ON known_device (identifier, seen);
        """
}
