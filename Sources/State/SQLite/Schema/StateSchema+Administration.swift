extension StateSchema {
    static let administration = """
        -- The tokens of the admin API, see AdminTokenRecord. Neither a copy nor a restore takes them over.
        CREATE TABLE admin_token (
            id TEXT NOT NULL PRIMARY KEY,
            digest BLOB NOT NULL UNIQUE, -- SHA-256, never the token itself
            name TEXT NOT NULL,
            role TEXT NOT NULL,
            publications TEXT, -- separated by spaces; NULL: all
            created REAL NOT NULL,
            expires REAL, -- NULL: never
            revoked REAL, -- NULL: not revoked
            last_used REAL -- NULL: never
        ) STRICT, WITHOUT ROWID;
        -- The outcomes of changes that the admin API made, by idempotency key.
        CREATE TABLE admin_outcome (
            id BLOB NOT NULL PRIMARY KEY, -- a digest of the token and the key
            request BLOB NOT NULL, -- a digest of the request
            lease BLOB NOT NULL,
            begun REAL NOT NULL,
            status INTEGER, -- NULL: no outcome yet
            body BLOB -- sealed
        ) STRICT, WITHOUT ROWID;
        CREATE INDEX admin_outcome_begun ON admin_outcome (begun);
        """
}
