import GRDB

/// The tables of the embedded subscriber database.
///
/// Everything about one subscriber lies together under its number in tables without row ids, and the identifier has a
/// unique index: a question costs a handful of page reads whether there are a thousand subscribers or ten million.
enum SubscriberSchema {
    /// The assignments that make a row the operator's.
    static let isOperators = "adopted = NULL, adopted_backend = NULL, adopted_reference = NULL"

    /// The assignments that go with a password somebody else than the reader sets.
    static let isNewPassword = "password_version = password_version + 1, chosen = NULL, awaits_choice = NULL"

    private static let stagedImports = """
        -- The rows of an import of all or nothing, until they are where they are read.
        CREATE TABLE staged (
            sequence INTEGER PRIMARY KEY, -- in the order of the file
            import INTEGER NOT NULL,
            identifier TEXT NOT NULL,
            row BLOB NOT NULL, -- a StagedRow in JSON
            UNIQUE (import, identifier)
        ) STRICT;
        -- What is known of an import whose staged rows are in force, in JSON; NULL: none is in force.
        ALTER TABLE import ADD COLUMN applied TEXT;
        CREATE INDEX import_applied ON import (applied) WHERE applied IS NOT NULL;
        -- What it did to subscribers since.
        ALTER TABLE import ADD COLUMN added INTEGER NOT NULL DEFAULT 0;
        ALTER TABLE import ADD COLUMN replaced INTEGER NOT NULL DEFAULT 0;
        ALTER TABLE import ADD COLUMN removed INTEGER NOT NULL DEFAULT 0;
        """

    static var migrator: DatabaseMigrator {
        var migrator = DatabaseMigrator()
        migrator.registerMigration("1 subscribers") { db in
            try db.execute(
                sql: """
                    -- AUTOINCREMENT: the number is the subscriber's key in tokens, so it is never given to anyone else.
                    CREATE TABLE subscriber (
                        id INTEGER PRIMARY KEY AUTOINCREMENT,
                        identifier TEXT NOT NULL UNIQUE,
                        password_hash TEXT,
                        state TEXT NOT NULL DEFAULT 'automatic'
                            CHECK (state IN ('automatic', 'active', 'inactive', 'suspended')),
                        message TEXT,
                        all_editions INTEGER NOT NULL DEFAULT 0 CHECK (all_editions IN (0, 1)),
                        updated INTEGER NOT NULL, -- milliseconds since 1970
                        import INTEGER -- the import that wrote the row last
                    ) STRICT;
                    CREATE TABLE period (
                        subscriber INTEGER NOT NULL REFERENCES subscriber ON DELETE CASCADE,
                        start INTEGER NOT NULL, -- milliseconds since 1970, included
                        "end" INTEGER, -- included; NULL runs on
                        PRIMARY KEY (subscriber, start)
                    ) STRICT, WITHOUT ROWID;
                    CREATE TABLE edition (
                        subscriber INTEGER NOT NULL REFERENCES subscriber ON DELETE CASCADE,
                        edition TEXT NOT NULL,
                        PRIMARY KEY (subscriber, edition)
                    ) STRICT, WITHOUT ROWID;
                    CREATE TABLE category (
                        subscriber INTEGER NOT NULL REFERENCES subscriber ON DELETE CASCADE,
                        scheme TEXT NOT NULL,
                        value TEXT NOT NULL,
                        PRIMARY KEY (subscriber, scheme, value)
                    ) STRICT, WITHOUT ROWID;
                    -- How far each import came. A resumable one is found again by its file and options.
                    CREATE TABLE import (
                        id INTEGER PRIMARY KEY AUTOINCREMENT,
                        fingerprint BLOB UNIQUE,
                        rows INTEGER NOT NULL,
                        bad_rows INTEGER NOT NULL
                    ) STRICT;
                    """)
        }
        migrator.registerMigration("2 decoys") { db in
            try db.execute(
                sql: """
                    -- Decides which stored hash stands in for that of an unknown identifier.
                    CREATE TABLE decoy (key BLOB NOT NULL) STRICT;
                    INSERT INTO decoy (key) VALUES (randomblob(32));
                    """)
        }
        migrator.registerMigration("3 adopted") { db in
            try db.execute(
                sql: """
                    -- When a chain last wrote the row, in milliseconds since 1970; NULL for what the operator wrote.
                    ALTER TABLE subscriber ADD COLUMN adopted INTEGER;
                    """)
        }
        migrator.registerMigration("4 adopted from") { db in
            try db.execute(
                sql: """
                    -- Who an adopted reader is elsewhere: the backend's name, and the reference to the reader there.
                    ALTER TABLE subscriber ADD COLUMN adopted_backend TEXT;
                    ALTER TABLE subscriber ADD COLUMN adopted_reference TEXT;
                    """)
        }
        migrator.registerMigration("5 self service") { db in
            try db.execute(
                sql: """
                    -- Rises with every password that is set; a better hash of the same password leaves it as it is.
                    ALTER TABLE subscriber ADD COLUMN password_version INTEGER NOT NULL DEFAULT 0;
                    -- When the reader chose the password by themselves, in milliseconds since 1970; NULL: somebody else did.
                    ALTER TABLE subscriber ADD COLUMN chosen INTEGER;
                    -- When the reader registered; NULL for whom the operator or a chain wrote down.
                    ALTER TABLE subscriber ADD COLUMN registered INTEGER;
                    """)
        }
        migrator.registerMigration("6 taken over from who registered") { db in
            try db.execute(
                sql: """
                    -- 1: an import put the row in the place of one that somebody had registered, and named no password.
                    -- Whoever reads the mail of the identifier may choose one, though there is none.
                    ALTER TABLE subscriber ADD COLUMN awaits_choice INTEGER;
                    """)
        }
        migrator.registerMigration("7 imports in batches") { db in try db.execute(sql: stagedImports) }
        return migrator
    }
}
