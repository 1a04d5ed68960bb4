extension StateSchema {
    static let receipts = """
        -- Receipts as apps sent them. A receipt is stored before it is processed.
        -- AUTOINCREMENT: the id of an erased receipt is never reused.
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
        CREATE INDEX receipt_due ON receipt (publication, status, due, store);
        CREATE INDEX receipt_settled ON receipt (status, settled);
        CREATE INDEX receipt_owner ON receipt (owner);
        CREATE INDEX receipt_unverified ON receipt (publication, received) WHERE status <> 'verified';
        CREATE INDEX receipt_backlog ON receipt (publication) WHERE status = 'waiting' AND attempts > 0;
        CREATE INDEX receipt_digest ON receipt (store, digest);
        """

    static let purchases = """
        -- The latest report of the store on each transaction.
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
        CREATE INDEX store_transaction_original ON store_transaction (store, original);
        CREATE INDEX store_transaction_unacknowledged ON store_transaction (store) WHERE awaits_acknowledgement = 1;
        -- One row for all transactions of one purchase, to find the purchases to verify again.
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
        CREATE INDEX purchase_ends ON purchase (store, ends, last_verified);
        CREATE INDEX purchase_bought ON purchase (store, bought, last_verified) WHERE ends IS NULL;
        -- The owners that submitted a receipt of a purchase.
        CREATE TABLE claim (
            store TEXT NOT NULL,
            original TEXT NOT NULL,
            owner BLOB NOT NULL,
            claimed REAL NOT NULL, -- when it was first claimed
            receipt INTEGER NOT NULL, -- the receipt of this owner that last proved it; it may be erased
            verified REAL NOT NULL, -- when that receipt was verified
            PRIMARY KEY (store, original, owner)
        ) STRICT, WITHOUT ROWID;
        CREATE INDEX claim_owner ON claim (owner);
        CREATE INDEX claim_receipt ON claim (receipt);
        -- Installations and accounts that belong to a subscriber.
        CREATE TABLE owner_link (
            owner BLOB NOT NULL PRIMARY KEY,
            subscriber BLOB NOT NULL, -- the subscriber as a purchase owner
            publication TEXT NOT NULL, -- the publication whose token made the link
            pseudonym BLOB NOT NULL, -- the subscriber as in revocations
            sealed BLOB NOT NULL, -- SealedSubscriber
            linked REAL NOT NULL -- when it was last linked
        ) STRICT, WITHOUT ROWID;
        CREATE INDEX owner_link_subscriber ON owner_link (subscriber, linked);
        -- The notifications of stores that were processed.
        CREATE TABLE store_event (
            store TEXT NOT NULL,
            id TEXT NOT NULL,
            received REAL NOT NULL,
            PRIMARY KEY (store, id)
        ) STRICT, WITHOUT ROWID;
        CREATE INDEX store_event_received ON store_event (received);
        """
}
