extension StateSchema {
    static let deliveries = """
        -- Purchased items to deliver: one row for each transaction.
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
        CREATE INDEX delivery_due ON delivery (publication, delivered, next);
        CREATE INDEX delivery_ordered ON delivery (publication, ordered);
        CREATE INDEX delivery_owner ON delivery (owner);
        """
}
