PRAGMA foreign_keys=OFF;
BEGIN TRANSACTION;
CREATE TABLE grdb_migrations (identifier TEXT NOT NULL PRIMARY KEY);
INSERT INTO grdb_migrations VALUES('1 state');
INSERT INTO grdb_migrations VALUES('2 purchases');
INSERT INTO grdb_migrations VALUES('3 accounts');
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
    before REAL NOT NULL, spared_session BLOB, spared_issued REAL,
    UNIQUE (publication, subscriber, session)
) STRICT;
INSERT INTO revocation VALUES(1,'daily',X'01010101010101',X'',1793534401.0,NULL,NULL);
INSERT INTO revocation VALUES(2,'daily',X'02020202020202',X'09090909',1793534402.0,NULL,NULL);
INSERT INTO revocation VALUES(4,'daily',X'04040404040404',X'',1793534410.0,X'08080808',1793534405.0);
CREATE TABLE acquaintance (
    digest BLOB NOT NULL PRIMARY KEY,
    seen REAL NOT NULL
) STRICT, WITHOUT ROWID;
INSERT INTO acquaintance VALUES(X'0505050505050505050505050505050505050505050505050505050505050505',1793534400.0);
CREATE TABLE receipt (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    publication TEXT NOT NULL,
    store TEXT NOT NULL,
    owner BLOB NOT NULL, -- 16 bytes of PurchaseOwner; empty: nobody's
    digest BLOB NOT NULL, -- SHA-256 of the parts
    credit_account TEXT, -- whom to credit, as the app said it; NULL: nobody
    credit_price TEXT,
    credit_currency TEXT,
    received REAL NOT NULL, -- when it came first
    standing TEXT NOT NULL, -- waiting, proven or refused
    attempts INTEGER NOT NULL, -- how often the store could not be asked
    due REAL NOT NULL, -- while it waits: not to be asked about before
    settled REAL, -- when it was proven or refused last; NULL while it waits
    reason TEXT, -- refused: ReceiptRefusal.Reason
    code INTEGER, -- refused: the store's own status, where it gave one
    -- StoreReceipt.encoded; empty: no claim needs it. Last, so that nothing is read past it.
    parts BLOB NOT NULL,
    UNIQUE (publication, store, owner, digest)
) STRICT;
INSERT INTO receipt VALUES(1,'daily','app-store',X'01010101010101010101010101010101',X'0707070707070707070707070707070707070707070707070707070707070707',NULL,NULL,NULL,1793534400.0,'proven',0,1793534400.0,1793534401.0,NULL,NULL,X'');
CREATE TABLE store_transaction (
    store TEXT NOT NULL,
    id TEXT NOT NULL,
    original TEXT NOT NULL, -- the purchase that it renews, or is
    product TEXT NOT NULL,
    purchased REAL NOT NULL,
    expires REAL, -- the end of what was paid for; NULL: the store names none
    grace REAL, -- the end of the billing grace period; NULL: there is none
    grace_told REAL, -- when the store said so; NULL: it said nothing of one
    revoked REAL, -- when it was taken back; NULL: it was not
    quantity INTEGER NOT NULL,
    environment TEXT NOT NULL, -- StoreEnvironment
    awaits_acknowledgement INTEGER NOT NULL, -- 1: the store is to be told that the buyer has it
    told REAL NOT NULL, -- when the store said this
    PRIMARY KEY (store, id)
) STRICT, WITHOUT ROWID;
INSERT INTO store_transaction VALUES('app-store','1','1','com.example.november',1793534400.0,NULL,NULL,NULL,NULL,1,'production',0,1793534400.0);
CREATE TABLE purchase (
    store TEXT NOT NULL,
    original TEXT NOT NULL,
    environment TEXT NOT NULL, -- of its last transaction, as what follows
    bought REAL NOT NULL,
    ends REAL, -- its grace period included; NULL: the store names no end
    looked REAL NOT NULL, -- when the store said something about it last
    rest REAL NOT NULL, -- not to be looked at before, because the store could not be asked; 0: at any time
    PRIMARY KEY (store, original)
) STRICT, WITHOUT ROWID;
INSERT INTO purchase VALUES('app-store','1','production',1793534400.0,NULL,1793534400.0,0.0);
CREATE TABLE claim (
    store TEXT NOT NULL,
    original TEXT NOT NULL,
    owner BLOB NOT NULL,
    claimed REAL NOT NULL, -- when it was claimed first
    receipt INTEGER NOT NULL, -- the receipt of this owner that proved it last; it may be gone
    proven REAL NOT NULL, -- when that was
    PRIMARY KEY (store, original, owner)
) STRICT, WITHOUT ROWID;
INSERT INTO claim VALUES('app-store','1',X'01010101010101010101010101010101',1793534400.0,1,1793534400.0);
CREATE TABLE owner_link (
    owner BLOB NOT NULL PRIMARY KEY,
    subscriber BLOB NOT NULL, -- the owner that the subscriber is
    publication TEXT NOT NULL, -- the one whose token made the link
    reference BLOB NOT NULL, -- the subscriber as revocations name it
    sealed BLOB NOT NULL, -- SealedSubscriber
    linked REAL NOT NULL -- when it was linked last
) STRICT, WITHOUT ROWID;
CREATE TABLE store_event (
    store TEXT NOT NULL,
    id TEXT NOT NULL,
    taken REAL NOT NULL,
    PRIMARY KEY (store, id)
) STRICT, WITHOUT ROWID;
INSERT INTO store_event VALUES('app-store','event-1',1793534400.0);
CREATE TABLE delivery (
    store TEXT NOT NULL,
    transaction_id TEXT NOT NULL,
    publication TEXT NOT NULL,
    owner BLOB NOT NULL, -- of the receipt that ordered it; empty: nobody
    account TEXT, -- whom to credit; NULL: erased, and never delivered again
    price TEXT,
    currency TEXT,
    product TEXT NOT NULL,
    quantity INTEGER NOT NULL,
    purchased REAL NOT NULL,
    environment TEXT NOT NULL, -- StoreEnvironment
    ordered REAL NOT NULL,
    attempts INTEGER NOT NULL,
    next REAL NOT NULL, -- while it waits: not to be tried before
    cause TEXT, -- of the last failure
    delivered REAL, -- NULL: not yet
    PRIMARY KEY (store, transaction_id)
) STRICT, WITHOUT ROWID;
CREATE TABLE push_token (
    sequence INTEGER PRIMARY KEY AUTOINCREMENT,
    app TEXT NOT NULL, -- the bundle identifier
    environment TEXT NOT NULL, -- PushEnvironment
    token BLOB NOT NULL,
    first REAL NOT NULL, -- when the app sent it first
    registered REAL NOT NULL, -- when the app sent it last
    UNIQUE (app, environment, token)
) STRICT;
INSERT INTO push_token VALUES(1,'com.example.app','production',X'0404040404040404040404040404040404040404040404040404040404040404',1793534400.0,1793534400.0);
CREATE TABLE push_campaign (
    name TEXT NOT NULL PRIMARY KEY,
    publication TEXT NOT NULL,
    app TEXT NOT NULL,
    environment TEXT NOT NULL,
    edition TEXT, -- NULL: of no edition
    begun REAL NOT NULL,
    position INTEGER NOT NULL, -- the sequence number of the last token dealt with
    sent INTEGER NOT NULL,
    failed INTEGER NOT NULL,
    gone INTEGER NOT NULL, -- tokens that the service no longer knows
    finished REAL -- NULL: not yet
) STRICT, WITHOUT ROWID;
CREATE TABLE account (
    number INTEGER PRIMARY KEY AUTOINCREMENT,
    publication TEXT NOT NULL,
    owner BLOB NOT NULL, -- 16 bytes of PurchaseOwner
    uuid TEXT NOT NULL UNIQUE, -- in lower case
    identifier TEXT NOT NULL, -- as typed last
    folded TEXT NOT NULL, -- the identifier in the form in which it is compared
    full_name TEXT,
    date_of_birth TEXT, -- YYYY-MM-DD
    referrer TEXT,
    metadata TEXT NOT NULL, -- a JSON object of texts
    created REAL NOT NULL,
    updated REAL NOT NULL,
    UNIQUE (publication, owner)
) STRICT;
INSERT INTO account VALUES(1,'daily',X'01010101010101010101010101010101','00000000-0000-4000-8000-000000000001','ann@example.com','ann@example.com',NULL,NULL,NULL,'{}',1793534400.0,1793534400.0);
CREATE TABLE item_number (
    number INTEGER PRIMARY KEY AUTOINCREMENT,
    publication TEXT NOT NULL,
    name TEXT NOT NULL, -- SoldItem.name
    UNIQUE (publication, name)
) STRICT;
INSERT INTO item_number VALUES(900000001,'daily','a');
DELETE FROM sqlite_sequence;
INSERT INTO sqlite_sequence VALUES('revocation',4);
INSERT INTO sqlite_sequence VALUES('receipt',1);
INSERT INTO sqlite_sequence VALUES('push_token',1);
INSERT INTO sqlite_sequence VALUES('item_number',900000001);
INSERT INTO sqlite_sequence VALUES('account',1);
CREATE INDEX acquaintance_seen ON acquaintance (seen);
CREATE INDEX receipt_due ON receipt (publication, standing, due, store);
CREATE INDEX receipt_settled ON receipt (standing, settled);
CREATE INDEX receipt_owner ON receipt (owner);
CREATE INDEX receipt_unproven ON receipt (publication, received) WHERE standing <> 'proven';
CREATE INDEX receipt_backlog ON receipt (publication) WHERE standing = 'waiting' AND attempts > 0;
CREATE INDEX receipt_digest ON receipt (store, digest);
CREATE INDEX store_transaction_original ON store_transaction (store, original);
CREATE INDEX store_transaction_unacknowledged ON store_transaction (store) WHERE awaits_acknowledgement = 1;
CREATE INDEX purchase_ends ON purchase (store, ends, looked);
CREATE INDEX purchase_bought ON purchase (store, bought, looked) WHERE ends IS NULL;
CREATE INDEX claim_owner ON claim (owner);
CREATE INDEX claim_receipt ON claim (receipt);
CREATE INDEX owner_link_subscriber ON owner_link (subscriber, linked);
CREATE INDEX store_event_taken ON store_event (taken);
CREATE INDEX delivery_due ON delivery (publication, delivered, next);
CREATE INDEX delivery_ordered ON delivery (publication, ordered);
CREATE INDEX delivery_owner ON delivery (owner);
CREATE INDEX push_token_order ON push_token (app, environment, sequence);
CREATE INDEX push_token_first ON push_token (app, first);
CREATE INDEX push_campaign_begun ON push_campaign (publication, begun);
CREATE INDEX account_owner ON account (owner);
CREATE INDEX account_identifier ON account (publication, folded);
CREATE INDEX account_order ON account (publication, number);
COMMIT;
