PRAGMA foreign_keys=OFF;
BEGIN TRANSACTION;
CREATE TABLE grdb_migrations (identifier TEXT NOT NULL PRIMARY KEY);
INSERT INTO grdb_migrations VALUES('1 state');
INSERT INTO grdb_migrations VALUES('2 leases');
INSERT INTO grdb_migrations VALUES('3 nodes');
INSERT INTO grdb_migrations VALUES('4 compatibility');
INSERT INTO grdb_migrations VALUES('5 node URLs');
INSERT INTO grdb_migrations VALUES('6 documents');
INSERT INTO grdb_migrations VALUES('7 mail');
INSERT INTO grdb_migrations VALUES('8 audit');
INSERT INTO grdb_migrations VALUES('9 timeline');
INSERT INTO grdb_migrations VALUES('10 administration');
CREATE TABLE device (
    publication TEXT NOT NULL,
    subscriber BLOB NOT NULL,
    device BLOB NOT NULL,
    first_used REAL NOT NULL, -- seconds since 1970, as all times
    last_used REAL NOT NULL,
    PRIMARY KEY (publication, subscriber, device)
) STRICT, WITHOUT ROWID;
INSERT INTO device VALUES('daily',X'01010101010101',X'0101010101010101',1793534400.0,1793534460.0);
INSERT INTO device VALUES('daily',X'01010101010101',X'0202020202020202',1793534400.0,1793534520.0);
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
INSERT INTO revocation VALUES(1,'daily',X'01010101010101',X'',1793534401.0,NULL,NULL,2108894401.0);
INSERT INTO revocation VALUES(2,'daily',X'02020202020202',X'09090909',1793534402.0,NULL,NULL,2108894402.0);
INSERT INTO revocation VALUES(4,'daily',X'04040404040404',X'',1793534410.0,X'08080808',1793534405.0,2108894410.0);
CREATE TABLE known_device (
    digest BLOB NOT NULL PRIMARY KEY,
    seen REAL NOT NULL, -- by the store's clock
    identifier BLOB NOT NULL -- a digest of the reader's identifier
) STRICT, WITHOUT ROWID;
INSERT INTO known_device VALUES(X'0505050505050505050505050505050505050505050505050505050505050505',1793534400.0,X'0606060606060606060606060606060606060606060606060606060606060606');
CREATE TABLE receipt (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    publication TEXT NOT NULL,
    store TEXT NOT NULL,
    owner BLOB NOT NULL, -- 16 bytes of PurchaseOwner; empty: no owner
    digest BLOB NOT NULL, -- SHA-256 of the parts
    credit_account TEXT, -- the account to credit, as the app sent it; NULL: none
    credit_price TEXT,
    credit_currency TEXT,
    received REAL NOT NULL, -- when it was first received
    stored REAL NOT NULL, -- the same by the store's clock
    status TEXT NOT NULL, -- waiting, verified or rejected
    attempts INTEGER NOT NULL, -- queries that failed because the store was unavailable
    due REAL NOT NULL, -- waiting: the earliest time of the next query
    due_set REAL, -- when due was set; in the future: the clock was set back since, and due has passed
    settled REAL, -- when it was last verified or rejected; NULL: waiting
    reason TEXT, -- rejected: ReceiptRejection.Reason
    code INTEGER, -- rejected: the store's own status, if it returned one
    lease BLOB, -- the query in progress, until it ends or due passes; NULL: none
    -- StoreReceipt.encoded; empty: no claim needs it. Last, so that other columns are read without it.
    parts BLOB NOT NULL,
    UNIQUE (publication, store, owner, digest)
) STRICT;
INSERT INTO receipt VALUES(1,'daily','app-store',X'01010101010101010101010101010101',X'0707070707070707070707070707070707070707070707070707070707070707',NULL,NULL,NULL,1793534400.0,1793534400.0,'verified',0,1793534400.0,NULL,1793534400.0,NULL,NULL,NULL,X'');
CREATE TABLE store_transaction (
    store TEXT NOT NULL,
    id TEXT NOT NULL,
    original TEXT NOT NULL, -- the purchase that it renews, or is
    product TEXT NOT NULL,
    purchased REAL NOT NULL,
    expires REAL, -- the end of the paid period; NULL: the store reported none
    grace REAL, -- the end of the billing grace period; NULL: there is none
    grace_reported REAL, -- when the store reported the grace period; NULL: never
    revoked REAL, -- when it was refunded or revoked; NULL: it was not
    quantity INTEGER NOT NULL,
    environment TEXT NOT NULL, -- StoreEnvironment
    awaits_acknowledgement INTEGER NOT NULL, -- 1: the store is still to learn that the buyer has it
    reported REAL NOT NULL, -- when the store reported this
    PRIMARY KEY (store, id)
) STRICT, WITHOUT ROWID;
INSERT INTO store_transaction VALUES('app-store','1','1','com.example.november',1793534400.0,NULL,NULL,NULL,NULL,1,'production',0,1793534400.0);
CREATE TABLE purchase (
    store TEXT NOT NULL,
    original TEXT NOT NULL,
    environment TEXT NOT NULL, -- of its last transaction, like the next two columns
    bought REAL NOT NULL,
    ends REAL, -- with its grace period; NULL: the store reported no end
    last_verified REAL NOT NULL, -- when the store last reported on it
    retry_after REAL NOT NULL, -- the earliest next query after the store was unavailable; 0: any time
    retry_after_set REAL, -- when retry_after was set, as receipt.due_set
    lease BLOB, -- as receipt.lease, until retry_after
    PRIMARY KEY (store, original)
) STRICT, WITHOUT ROWID;
INSERT INTO purchase VALUES('app-store','1','production',1793534400.0,NULL,1793534400.0,0.0,NULL,NULL);
CREATE TABLE claim (
    store TEXT NOT NULL,
    original TEXT NOT NULL,
    owner BLOB NOT NULL,
    claimed REAL NOT NULL, -- when it was first claimed
    receipt INTEGER NOT NULL, -- the receipt of this owner that last proved it; it may be erased
    verified REAL NOT NULL, -- when that receipt was verified
    PRIMARY KEY (store, original, owner)
) STRICT, WITHOUT ROWID;
INSERT INTO claim VALUES('app-store','1',X'01010101010101010101010101010101',1793534400.0,1,1793534400.0);
CREATE TABLE owner_link (
    owner BLOB NOT NULL PRIMARY KEY,
    subscriber BLOB NOT NULL, -- the subscriber as a purchase owner
    publication TEXT NOT NULL, -- the publication whose token made the link
    pseudonym BLOB NOT NULL, -- the subscriber as in revocations
    sealed BLOB NOT NULL, -- SealedSubscriber
    linked REAL NOT NULL -- when it was last linked
) STRICT, WITHOUT ROWID;
CREATE TABLE store_event (
    store TEXT NOT NULL,
    id TEXT NOT NULL,
    received REAL NOT NULL,
    PRIMARY KEY (store, id)
) STRICT, WITHOUT ROWID;
INSERT INTO store_event VALUES('app-store','event-1',1793534400.0);
CREATE TABLE delivery (
    store TEXT NOT NULL,
    transaction_id TEXT NOT NULL,
    publication TEXT NOT NULL,
    owner BLOB NOT NULL, -- the owner of the receipt that ordered it; empty: none
    account TEXT, -- the account to credit; NULL: erased, and never delivered again
    price TEXT,
    currency TEXT,
    product TEXT NOT NULL,
    quantity INTEGER NOT NULL,
    purchased REAL NOT NULL,
    environment TEXT NOT NULL, -- StoreEnvironment
    ordered REAL NOT NULL,
    attempts INTEGER NOT NULL,
    next REAL NOT NULL, -- while it waits: the earliest time of the next attempt
    next_set REAL, -- when next was set, as receipt.due_set
    lease BLOB, -- the attempt in progress, until it ends or next passes; NULL: none
    cause TEXT, -- of the last failure
    delivered REAL, -- NULL: not yet
    PRIMARY KEY (store, transaction_id)
) STRICT, WITHOUT ROWID;
CREATE TABLE push_token (
    sequence INTEGER PRIMARY KEY AUTOINCREMENT,
    app TEXT NOT NULL, -- the bundle identifier
    environment TEXT NOT NULL, -- PushEnvironment
    token BLOB NOT NULL,
    first REAL NOT NULL, -- when the app first sent it
    registered REAL NOT NULL, -- when the app last sent it
    UNIQUE (app, environment, token)
) STRICT;
INSERT INTO push_token VALUES(1,'com.example.app','production',X'0404040404040404040404040404040404040404040404040404040404040404',1793534400.0,1793534400.0);
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
CREATE TABLE account (
    number INTEGER PRIMARY KEY AUTOINCREMENT,
    publication TEXT NOT NULL,
    owner BLOB NOT NULL, -- 16 bytes of PurchaseOwner
    uuid TEXT NOT NULL UNIQUE, -- in lower case
    identifier TEXT NOT NULL, -- as last typed
    normalized TEXT NOT NULL, -- the identifier in the form in which identifiers are compared
    full_name TEXT,
    date_of_birth TEXT, -- YYYY-MM-DD
    referrer TEXT,
    metadata TEXT NOT NULL, -- a JSON object of strings
    created REAL NOT NULL,
    updated REAL NOT NULL,
    UNIQUE (publication, owner)
) STRICT;
INSERT INTO account VALUES(1,'daily',X'01010101010101010101010101010101','00000000-0000-4000-8000-000000000001','ann@example.com','ann@example.com',NULL,NULL,NULL,'{}',1793534400.0,1793534400.0);
CREATE TABLE item_number (
    number INTEGER PRIMARY KEY AUTOINCREMENT,
    publication TEXT NOT NULL,
    name TEXT NOT NULL, -- SaleItem.name
    UNIQUE (publication, name)
) STRICT;
INSERT INTO item_number VALUES(900000001,'daily','a');
CREATE TABLE generation (
    id BLOB NOT NULL,
    session_floor REAL -- sessions issued earlier are revoked; NULL: no older state was ever restored
) STRICT;
CREATE TABLE pin_code (
    account BLOB NOT NULL PRIMARY KEY,
    code BLOB NOT NULL,
    ends REAL NOT NULL,
    attempts INTEGER NOT NULL -- remaining
) STRICT, WITHOUT ROWID;
CREATE TABLE shared_fact (
    sequence INTEGER PRIMARY KEY AUTOINCREMENT,
    kind TEXT NOT NULL, -- SharedFact.Kind
    backend TEXT NOT NULL, -- empty: all
    subject BLOB NOT NULL, -- empty: all
    detail BLOB NOT NULL, -- empty: the subject as a whole
    value BLOB NOT NULL,
    recorded_at REAL NOT NULL,
    ends REAL NOT NULL, -- when the fact expires
    origin BLOB NOT NULL, -- the process that recorded it
    UNIQUE (kind, subject, backend, detail)
) STRICT;
CREATE TABLE token_bounds (
    publication TEXT NOT NULL PRIMARY KEY,
    lifetime REAL NOT NULL, -- seconds
    after_expiry REAL NOT NULL, -- seconds after expiry in which a token is renewed or a download resumed
    pruned_until REAL NOT NULL -- the latest expiry of pruned revocations; 0: none was pruned
) STRICT, WITHOUT ROWID;
CREATE TABLE store_clock (
    id INTEGER NOT NULL PRIMARY KEY CHECK (id = 1),
    reading REAL NOT NULL,
    latest REAL NOT NULL
) STRICT;
CREATE TABLE lease (
    name TEXT NOT NULL PRIMARY KEY,
    owner BLOB NOT NULL, -- unique to the run of the task
    ends REAL NOT NULL, -- unless it is extended
    ends_set REAL NOT NULL -- when ends was set, as receipt.due_set
) STRICT, WITHOUT ROWID;
INSERT INTO lease VALUES('push campaign com.example.daily/daily-1',X'01',1793534430.0,1793534400.0);
CREATE TABLE rate_counter (
    key BLOB NOT NULL PRIMARY KEY,
    empty_at REAL NOT NULL -- when no event counts any more
) STRICT, WITHOUT ROWID;
INSERT INTO rate_counter VALUES(X'01',1.0);
CREATE TABLE node (
    id BLOB NOT NULL PRIMARY KEY,
    name TEXT NOT NULL,
    version TEXT NOT NULL,
    started REAL NOT NULL,
    heard REAL NOT NULL, -- the last heartbeat
    behind REAL NOT NULL, -- the seconds since it last had all revocations
    draining INTEGER NOT NULL, -- 1: takes no new readers
    slots TEXT NOT NULL -- JSON: the number of calls by backend
, url TEXT) STRICT, WITHOUT ROWID;
INSERT INTO node VALUES(X'02','node','1',1.0,1.0,0.0,0,'{}','http://192.0.2.2:9090');
CREATE TABLE schema_compatibility (
    version INTEGER NOT NULL PRIMARY KEY, -- the number of the migration
    since INTEGER NOT NULL
) STRICT;
INSERT INTO schema_compatibility VALUES(4,4);
INSERT INTO schema_compatibility VALUES(5,4);
INSERT INTO schema_compatibility VALUES(6,4);
INSERT INTO schema_compatibility VALUES(7,4);
INSERT INTO schema_compatibility VALUES(8,4);
INSERT INTO schema_compatibility VALUES(9,4);
INSERT INTO schema_compatibility VALUES(10,4);
CREATE TABLE document (
    name TEXT NOT NULL PRIMARY KEY,
    version BLOB, -- the SHA-256 of the content; NULL: no fetch has succeeded yet
    parts INTEGER NOT NULL, -- the number of parts of the content
    details BLOB NOT NULL, -- the result of the last fetch
    due REAL NOT NULL, -- the next fetch
    sequence INTEGER NOT NULL -- grows with each write
) STRICT, WITHOUT ROWID;
INSERT INTO document VALUES('catalogue daily 1 0a',X'07',1,X'7b7d',1793535300.0,1793534400000);
CREATE TABLE document_part (
    name TEXT NOT NULL,
    version BLOB NOT NULL,
    number INTEGER NOT NULL, -- from 0
    content BLOB NOT NULL,
    PRIMARY KEY (name, version, number)
) STRICT;
INSERT INTO document_part VALUES('catalogue daily 1 0a',X'07',0,X'5b5d');
CREATE TABLE mail (
    id BLOB NOT NULL PRIMARY KEY, -- of the header Message-ID
    owner BLOB NOT NULL, -- the reader whose erasure deletes it; empty: none
    ends REAL NOT NULL, -- the time from which on it is not sent
    attempts INTEGER NOT NULL, -- each is recorded before it is made
    next REAL NOT NULL, -- the earliest time of the next attempt
    next_set REAL NOT NULL, -- when next was set, as receipt.due_set
    lease BLOB, -- the attempt in progress, or without a recorded outcome once next has passed; NULL: none
    content BLOB NOT NULL -- the recipient and the message, sealed
) STRICT;
INSERT INTO mail VALUES(X'0d',X'',1793538000.0,1,1793534410.0,1793534400.0,NULL,X'5ea1ed');
CREATE TABLE audit_entry (
    sequence INTEGER NOT NULL PRIMARY KEY CHECK (sequence > 0), -- from 1 without gaps
    id BLOB NOT NULL UNIQUE, -- chosen by the writer, so that a repeated append has no effect
    time INTEGER NOT NULL, -- milliseconds since 1970, because the hash covers it
    actor_kind TEXT NOT NULL,
    actor TEXT NOT NULL,
    publication TEXT,
    action TEXT NOT NULL,
    subject TEXT, -- a pseudonym or the name of an object, never an identifier
    reason TEXT,
    details TEXT NOT NULL, -- lines of name=value
    previous BLOB NOT NULL,
    hash BLOB NOT NULL
) STRICT;
INSERT INTO audit_entry VALUES(1,X'01010101010101010101010101010101',1793534400000,'command','ada@console','daily','token.revoke','subscriber:01010101010101','lost phone',replace('phase=done\n','\n',char(10)),X'0000000000000000000000000000000000000000000000000000000000000000',X'0707070707070707070707070707070707070707070707070707070707070707');
CREATE TABLE reader_event (
    sequence INTEGER PRIMARY KEY AUTOINCREMENT,
    subject BLOB NOT NULL, -- TimelineSubject: a byte for its kind, and a pseudonym or a digest
    category INTEGER NOT NULL, -- TimelineCategory: the entries that are counted together
    publication TEXT, -- NULL: none
    time REAL NOT NULL, -- of the first of the repetitions
    last_time REAL NOT NULL, -- of the last of the repetitions
    count INTEGER NOT NULL, -- how many times it happened
    kind TEXT NOT NULL, -- TimelineEvent.Kind
    call TEXT, -- of the app, or at the gate
    reason TEXT,
    device BLOB,
    edition TEXT,
    backend TEXT,
    freshness TEXT,
    detail TEXT,
    repetition BLOB -- a digest of the event and of its hours, which repetitions share; NULL: none are joined
) STRICT;
INSERT INTO reader_event VALUES(1,X'0101010101010101',3,'daily',1793534400.0,1793534460.0,2,'refused','verify','suspended',X'0101010101010101','com.example.november','members','live','a=b',X'09090909090909090909090909090909');
CREATE TABLE known_reader (
    subject BLOB NOT NULL PRIMARY KEY, -- as reader_event.subject
    sealed BLOB NOT NULL -- the backend and the key of the subscriber
) STRICT, WITHOUT ROWID;
INSERT INTO known_reader VALUES(X'0101010101010101',X'5ea1ed');
CREATE TABLE erased_reader (
    subject BLOB NOT NULL PRIMARY KEY, -- as reader_event.subject
    erased REAL NOT NULL, -- when the reader was erased
    seen REAL NOT NULL -- when an event was last rejected, to within a day
) STRICT, WITHOUT ROWID;
INSERT INTO erased_reader VALUES(X'0102020202020202',1793534400.0,1793534400.0);
CREATE TABLE timeline_writer (
    id BLOB NOT NULL PRIMARY KEY,
    number INTEGER NOT NULL, -- of the last event that it wrote
    written REAL NOT NULL -- when it wrote last
) STRICT, WITHOUT ROWID;
INSERT INTO timeline_writer VALUES(X'07070707070707070707070707070707',1,1793534460.0);
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
INSERT INTO admin_token VALUES('0102030405ff',X'0c0c0c0c0c0c0c0c0c0c0c0c0c0c0c0c',X'0707070707070707070707070707070707070707070707070707070707070707','ada','support','daily weekly',1793534400.0,1801310400.0,NULL,1793534460.0);
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
INSERT INTO admin_outcome VALUES(X'0808080808080808080808080808080808080808080808080808080808080808',X'0c0c0c0c0c0c0c0c0c0c0c0c0c0c0c0c',X'0909090909090909090909090909090909090909090909090909090909090909',X'0a',1793534400.0,1793534400.0,200,X'5ea1ed');
DELETE FROM sqlite_sequence;
INSERT INTO sqlite_sequence VALUES('revocation',4);
INSERT INTO sqlite_sequence VALUES('receipt',1);
INSERT INTO sqlite_sequence VALUES('push_token',1);
INSERT INTO sqlite_sequence VALUES('account',1);
INSERT INTO sqlite_sequence VALUES('item_number',900000001);
INSERT INTO sqlite_sequence VALUES('reader_event',1);
CREATE INDEX revocation_expires ON revocation (publication, expires);
CREATE INDEX known_device_seen ON known_device (seen);
CREATE INDEX known_device_identifier ON known_device (identifier, seen);
CREATE INDEX receipt_due ON receipt (publication, status, due, store);
CREATE INDEX receipt_settled ON receipt (status, settled);
CREATE INDEX receipt_owner ON receipt (owner);
CREATE INDEX receipt_unverified ON receipt (publication, received) WHERE status <> 'verified';
CREATE INDEX receipt_backlog ON receipt (publication) WHERE status = 'waiting' AND attempts > 0;
CREATE INDEX receipt_digest ON receipt (store, digest);
CREATE INDEX store_transaction_original ON store_transaction (store, original);
CREATE INDEX store_transaction_unacknowledged ON store_transaction (store) WHERE awaits_acknowledgement = 1;
CREATE INDEX purchase_ends ON purchase (store, ends, last_verified);
CREATE INDEX purchase_bought ON purchase (store, bought, last_verified) WHERE ends IS NULL;
CREATE INDEX claim_owner ON claim (owner);
CREATE INDEX claim_receipt ON claim (receipt);
CREATE INDEX owner_link_subscriber ON owner_link (subscriber, linked);
CREATE INDEX store_event_received ON store_event (received);
CREATE INDEX delivery_due ON delivery (publication, delivered, next);
CREATE INDEX delivery_ordered ON delivery (publication, ordered);
CREATE INDEX delivery_owner ON delivery (owner);
CREATE INDEX push_token_order ON push_token (app, environment, sequence);
CREATE INDEX push_token_first ON push_token (app, first);
CREATE INDEX push_campaign_begun ON push_campaign (publication, begun);
CREATE INDEX account_owner ON account (owner);
CREATE INDEX account_identifier ON account (publication, normalized);
CREATE INDEX account_order ON account (publication, number);
CREATE INDEX pin_code_ends ON pin_code (ends);
CREATE INDEX shared_fact_ends ON shared_fact (ends);
CREATE INDEX rate_counter_empty_at ON rate_counter (empty_at);
CREATE INDEX mail_next ON mail (next);
CREATE INDEX mail_owner ON mail (owner);
CREATE INDEX audit_entry_subject ON audit_entry (subject, sequence);
CREATE INDEX reader_event_subject ON reader_event (subject, category, time, sequence);
CREATE INDEX reader_event_time ON reader_event (category, time);
CREATE UNIQUE INDEX reader_event_repetition ON reader_event (repetition) WHERE repetition IS NOT NULL;
CREATE INDEX erased_reader_seen ON erased_reader (seen);
CREATE INDEX admin_outcome_begun ON admin_outcome (begun);
CREATE TRIGGER audit_entry_insert BEFORE INSERT ON audit_entry
WHEN EXISTS (SELECT 1 FROM audit_entry WHERE id = NEW.id)
    OR NEW.sequence IS NOT coalesce((SELECT max(sequence) FROM audit_entry), 0) + 1
    AND NOT EXISTS (SELECT 1 FROM lease WHERE name = 'unfinished copy')
BEGIN SELECT RAISE(ABORT, 'an entry of the audit log follows the last one'); END;
CREATE TRIGGER audit_entry_update BEFORE UPDATE ON audit_entry
BEGIN SELECT RAISE(ABORT, 'entries of the audit log never change'); END;
CREATE TRIGGER audit_entry_delete BEFORE DELETE ON audit_entry
BEGIN SELECT RAISE(ABORT, 'entries of the audit log are never deleted'); END;
COMMIT;
