import GRDB

/// The tables of subscribers in a SQLite file. ``PostgreSQLSubscriberSchema`` translates them.
///
/// All data of one subscriber is stored together under its number in tables without row ids, and the identifier has
/// a unique index. A query therefore reads a few pages, for a thousand subscribers as for ten million.
enum SubscriberSchema {
    /// The SQL assignments that assign a row to the operator.
    static let operatorOwnedAssignments = "migrated = NULL, migrated_backend = NULL, migrated_pseudonym = NULL"

    /// The SQL assignments for a password that anyone but the reader sets.
    static let passwordResetAssignments =
        "password_version = password_version + 1, password_chosen = NULL, awaits_password = NULL"

    /// The migration that every subscriber database has.
    static let baseline = "1 subscribers"

    static var migrator: DatabaseMigrator {
        var migrator = DatabaseMigrator()
        migrator.registerMigration(baseline) { db in
            try db.execute(sql: subscribers)
            try db.execute(sql: imports)
            try db.execute(sql: dummyHashes)
        }
        return migrator
    }

    static let subscribers = """
        -- AUTOINCREMENT: the number is the subscriber's key in tokens, so it is never reused.
        CREATE TABLE subscriber (
            id INTEGER PRIMARY KEY AUTOINCREMENT,
            identifier TEXT NOT NULL UNIQUE,
            password_hash TEXT,
            state TEXT NOT NULL DEFAULT 'automatic'
                CHECK (state IN ('automatic', 'active', 'inactive', 'suspended')),
            message TEXT,
            all_editions INTEGER NOT NULL DEFAULT 0 CHECK (all_editions IN (0, 1)),
            updated INTEGER NOT NULL, -- milliseconds since 1970, as all times
            import INTEGER, -- the import that last wrote the row
            migrated INTEGER, -- when a chain last wrote the row; NULL: the operator wrote it
            migrated_backend TEXT, -- of a migrated reader: the backend that the reader came from
            migrated_pseudonym TEXT, -- and the reader's pseudonym there
            password_version INTEGER NOT NULL DEFAULT 0, -- rises with each new password, not with a new hash of the same one
            password_chosen INTEGER, -- when the reader chose the password; NULL: another person set it
            registered INTEGER, -- when the reader registered; NULL: the operator or a chain made the row
            -- 1: an import without passwords replaced a registered row. The reader may choose a password by e-mail.
            awaits_password INTEGER
        ) STRICT;
        CREATE TABLE period (
            subscriber INTEGER NOT NULL REFERENCES subscriber ON DELETE CASCADE,
            start INTEGER NOT NULL, -- included
            "end" INTEGER, -- included; NULL: without an end
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
        """

    static let imports = """
        -- The progress of each import. A resumable import is identified by its file and options.
        CREATE TABLE import (
            id INTEGER PRIMARY KEY AUTOINCREMENT,
            fingerprint BLOB UNIQUE,
            rows INTEGER NOT NULL,
            bad_rows INTEGER NOT NULL,
            applied TEXT, -- of an import whose staged rows are in force: its settings in JSON; NULL: none is
            -- The subscribers that it added, replaced and removed since.
            added INTEGER NOT NULL DEFAULT 0,
            replaced INTEGER NOT NULL DEFAULT 0,
            removed INTEGER NOT NULL DEFAULT 0
        ) STRICT;
        CREATE INDEX import_applied ON import (applied) WHERE applied IS NOT NULL;
        -- The rows of an atomic import until they are moved to the tables of subscribers.
        CREATE TABLE staged (
            sequence INTEGER PRIMARY KEY, -- in the order of the file
            import INTEGER NOT NULL,
            identifier TEXT NOT NULL,
            row BLOB NOT NULL, -- a StagedRow in JSON
            UNIQUE (import, identifier)
        ) STRICT;
        """

    private static let dummyHashes = """
        -- The key that selects the dummy hash of an unknown identifier.
        CREATE TABLE dummy_hash (key BLOB NOT NULL) STRICT;
        INSERT INTO dummy_hash (key) VALUES (randomblob(32));
        """
}
