PRAGMA foreign_keys=OFF;
BEGIN TRANSACTION;
CREATE TABLE grdb_migrations (identifier TEXT NOT NULL PRIMARY KEY);
INSERT INTO grdb_migrations VALUES('1 subscribers');
INSERT INTO grdb_migrations VALUES('2 decoys');
INSERT INTO grdb_migrations VALUES('3 adopted');
INSERT INTO grdb_migrations VALUES('4 adopted from');
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
, adopted INTEGER, adopted_backend TEXT, adopted_reference TEXT) STRICT;
INSERT INTO subscriber VALUES(1,'ann@example.com','$1$salt$hash','active','Hello',0,1793534400000,NULL,NULL,NULL,NULL);
INSERT INTO subscriber VALUES(2,'bob@example.com',NULL,'automatic',NULL,0,1793534400000,NULL,1793534400000,'directory','01010101010101');
CREATE TABLE period (
    subscriber INTEGER NOT NULL REFERENCES subscriber ON DELETE CASCADE,
    start INTEGER NOT NULL, -- milliseconds since 1970, included
    "end" INTEGER, -- included; NULL runs on
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
    bad_rows INTEGER NOT NULL
) STRICT;
CREATE TABLE decoy (key BLOB NOT NULL) STRICT;
INSERT INTO decoy VALUES(X'0606060606060606060606060606060606060606060606060606060606060606');
DELETE FROM sqlite_sequence;
INSERT INTO sqlite_sequence VALUES('subscriber',3);
COMMIT;
