PRAGMA foreign_keys=OFF;
BEGIN TRANSACTION;
CREATE TABLE grdb_migrations (identifier TEXT NOT NULL PRIMARY KEY);
INSERT INTO grdb_migrations VALUES('1 state');
CREATE TABLE device (
    publication TEXT NOT NULL,
    subscriber BLOB NOT NULL,
    device BLOB NOT NULL,
    first_used REAL NOT NULL, -- seconds since 1970
    last_used REAL NOT NULL,
    PRIMARY KEY (publication, subscriber, device)
) STRICT, WITHOUT ROWID;
INSERT INTO device VALUES('daily',X'01010101010101',X'0101010101010101',1793534400.0,1793534460.0);
INSERT INTO device VALUES('daily',X'01010101010101',X'0202020202020202',1793534400.0,1793534520.0);
CREATE TABLE revocation (
    sequence INTEGER PRIMARY KEY AUTOINCREMENT,
    publication TEXT NOT NULL,
    subscriber BLOB NOT NULL,
    session BLOB NOT NULL, -- empty: every session of the subscriber
    before REAL NOT NULL,
    UNIQUE (publication, subscriber, session)
) STRICT;
INSERT INTO revocation VALUES(1,'daily',X'01010101010101',X'',1793534401.0);
INSERT INTO revocation VALUES(2,'daily',X'02020202020202',X'09090909',1793534402.0);
CREATE TABLE acquaintance (
    digest BLOB NOT NULL PRIMARY KEY,
    seen REAL NOT NULL
) STRICT, WITHOUT ROWID;
INSERT INTO acquaintance VALUES(X'0505050505050505050505050505050505050505050505050505050505050505',1793534400.0);
DELETE FROM sqlite_sequence;
INSERT INTO sqlite_sequence VALUES('revocation',3);
CREATE INDEX acquaintance_seen ON acquaintance (seen);
COMMIT;
