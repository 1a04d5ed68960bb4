extension StateSchema {
    static let deliveries = """
        -- What was bought and is to be handed out: once for each transaction, whoever asks.
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
        CREATE INDEX delivery_due ON delivery (publication, delivered, next);
        CREATE INDEX delivery_ordered ON delivery (publication, ordered);
        CREATE INDEX delivery_owner ON delivery (owner);
        """
}
