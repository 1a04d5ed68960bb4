extension StateSchema {
    static let push = """
        -- AUTOINCREMENT: a sequence number is never reused, so that a resumed campaign skips no token.
        CREATE TABLE push_token (
            sequence INTEGER PRIMARY KEY AUTOINCREMENT,
            app TEXT NOT NULL, -- the bundle identifier
            environment TEXT NOT NULL, -- PushEnvironment
            token BLOB NOT NULL,
            first REAL NOT NULL, -- when the app first sent it
            registered REAL NOT NULL, -- when the app last sent it
            UNIQUE (app, environment, token)
        ) STRICT;
        CREATE INDEX push_token_order ON push_token (app, environment, sequence);
        CREATE INDEX push_token_first ON push_token (app, first);
        CREATE TABLE push_campaign (
            name TEXT NOT NULL PRIMARY KEY,
            publication TEXT NOT NULL,
            app TEXT NOT NULL,
            environment TEXT NOT NULL,
            edition TEXT, -- NULL: none
            begun REAL NOT NULL,
            position INTEGER NOT NULL, -- the sequence number of the last processed token
            sent INTEGER NOT NULL,
            failed INTEGER NOT NULL,
            gone INTEGER NOT NULL, -- tokens that the push service no longer knows
            finished REAL -- NULL: not yet
        ) STRICT, WITHOUT ROWID;
        CREATE INDEX push_campaign_begun ON push_campaign (publication, begun);
        """
}
