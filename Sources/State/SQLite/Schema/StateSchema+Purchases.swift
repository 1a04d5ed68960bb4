extension StateSchema {
    static let receipts = """
        -- Receipts as they came, kept before anything else is done with them.
        -- AUTOINCREMENT: the number of a receipt that was erased never names another.
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
        CREATE INDEX receipt_due ON receipt (publication, standing, due, store);
        CREATE INDEX receipt_settled ON receipt (standing, settled);
        CREATE INDEX receipt_owner ON receipt (owner);
        CREATE INDEX receipt_unproven ON receipt (publication, received) WHERE standing <> 'proven';
        CREATE INDEX receipt_backlog ON receipt (publication) WHERE standing = 'waiting' AND attempts > 0;
        CREATE INDEX receipt_digest ON receipt (store, digest);
        """

    static let purchases = """
        -- The stores' last word on each transaction.
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
        CREATE INDEX store_transaction_original ON store_transaction (store, original);
        CREATE INDEX store_transaction_unacknowledged ON store_transaction (store) WHERE awaits_acknowledgement = 1;
        -- One row for all transactions of one purchase, to find those to look at again.
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
        CREATE INDEX purchase_ends ON purchase (store, ends, looked);
        CREATE INDEX purchase_bought ON purchase (store, bought, looked) WHERE ends IS NULL;
        -- Who handed in a receipt of a purchase.
        CREATE TABLE claim (
            store TEXT NOT NULL,
            original TEXT NOT NULL,
            owner BLOB NOT NULL,
            claimed REAL NOT NULL, -- when it was claimed first
            receipt INTEGER NOT NULL, -- the receipt of this owner that proved it last; it may be gone
            proven REAL NOT NULL, -- when that was
            PRIMARY KEY (store, original, owner)
        ) STRICT, WITHOUT ROWID;
        CREATE INDEX claim_owner ON claim (owner);
        CREATE INDEX claim_receipt ON claim (receipt);
        -- Installations and accounts that are one person with a subscriber.
        CREATE TABLE owner_link (
            owner BLOB NOT NULL PRIMARY KEY,
            subscriber BLOB NOT NULL, -- the owner that the subscriber is
            publication TEXT NOT NULL, -- the one whose token made the link
            reference BLOB NOT NULL, -- the subscriber as revocations name it
            sealed BLOB NOT NULL, -- SealedSubscriber
            linked REAL NOT NULL -- when it was linked last
        ) STRICT, WITHOUT ROWID;
        CREATE INDEX owner_link_subscriber ON owner_link (subscriber, linked);
        -- Messages of stores that were taken in.
        CREATE TABLE store_event (
            store TEXT NOT NULL,
            id TEXT NOT NULL,
            taken REAL NOT NULL,
            PRIMARY KEY (store, id)
        ) STRICT, WITHOUT ROWID;
        CREATE INDEX store_event_taken ON store_event (taken);
        """
}
