extension StateSchema {
    static let administration = """
        -- The tokens of the admin API, see AdminTokenRecord. They are valid in one history of the state only, so that neither a
        -- copy nor a restore, also by an older release, brings a revoked one back.
        CREATE TABLE admin_token (
            id TEXT NOT NULL PRIMARY KEY,
            generation BLOB NOT NULL, -- the history, see StateGeneration
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
            generation BLOB NOT NULL, -- the history, see StateGeneration
            request BLOB NOT NULL, -- a digest of the request
            lease BLOB NOT NULL,
            begun REAL NOT NULL, -- the first attempt
            attempted REAL, -- the last attempt; NULL: it failed
            status INTEGER, -- NULL: no outcome yet
            body BLOB -- sealed
        ) STRICT, WITHOUT ROWID;
        CREATE INDEX admin_outcome_begun ON admin_outcome (begun);
        """
}
