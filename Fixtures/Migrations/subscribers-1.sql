PRAGMA foreign_keys=OFF;
BEGIN TRANSACTION;
CREATE TABLE grdb_migrations (identifier TEXT NOT NULL PRIMARY KEY);
INSERT INTO grdb_migrations VALUES('1 subscribers');
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
INSERT INTO subscriber VALUES(1,'ann@example.com','$1$salt$hash','active','Hello',0,1793534400000,NULL,NULL,NULL,NULL,3,1793534400000,NULL,NULL);
INSERT INTO subscriber VALUES(2,'bob@example.com',NULL,'automatic',NULL,0,1793534400000,NULL,1793534400000,'directory','01010101010101',0,NULL,NULL,1);
CREATE TABLE period (
    subscriber INTEGER NOT NULL REFERENCES subscriber ON DELETE CASCADE,
    start INTEGER NOT NULL, -- included
    "end" INTEGER, -- included; NULL: without an end
    PRIMARY KEY (subscriber, start)
) STRICT, WITHOUT ROWID;
INSERT INTO period VALUES(2,1700000000000,NULL);
CREATE TABLE edition (
    subscriber INTEGER NOT NULL REFERENCES subscriber ON DELETE CASCADE,
    edition TEXT NOT NULL,
    PRIMARY KEY (subscriber, edition)
) STRICT, WITHOUT ROWID;
INSERT INTO edition VALUES(1,'com.example.title.2026-11');
CREATE TABLE category (
    subscriber INTEGER NOT NULL REFERENCES subscriber ON DELETE CASCADE,
    scheme TEXT NOT NULL,
    value TEXT NOT NULL,
    PRIMARY KEY (subscriber, scheme, value)
) STRICT, WITHOUT ROWID;
INSERT INTO category VALUES(1,'group','a');
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
CREATE TABLE staged (
    sequence INTEGER PRIMARY KEY, -- in the order of the file
    import INTEGER NOT NULL,
    identifier TEXT NOT NULL,
    row BLOB NOT NULL, -- a StagedRow in JSON
    UNIQUE (import, identifier)
) STRICT;
CREATE TABLE dummy_hash (key BLOB NOT NULL) STRICT;
INSERT INTO dummy_hash VALUES(X'0606060606060606060606060606060606060606060606060606060606060606');
DELETE FROM sqlite_sequence;
INSERT INTO sqlite_sequence VALUES('subscriber',3);
CREATE INDEX import_applied ON import (applied) WHERE applied IS NOT NULL;
COMMIT;
