extension StateSchema {
    static let sharedFacts = """
        -- What one process learnt that all others have to know. Whom it is about is a keyed digest.
        -- AUTOINCREMENT: a sequence number is never used twice, so whoever follows misses nothing.
        CREATE TABLE shared_fact (
            sequence INTEGER PRIMARY KEY AUTOINCREMENT,
            kind TEXT NOT NULL, -- SharedFact.Kind
            backend TEXT NOT NULL, -- empty: none in particular
            subject BLOB NOT NULL, -- empty: everybody
            detail BLOB NOT NULL, -- empty: all there is about the subject
            value BLOB NOT NULL,
            moment REAL NOT NULL,
            ends REAL NOT NULL, -- of no use from here on
            origin BLOB NOT NULL, -- the process that learnt it
            UNIQUE (kind, subject, backend, detail)
        ) STRICT;
        CREATE INDEX shared_fact_ends ON shared_fact (ends);
        """
}
