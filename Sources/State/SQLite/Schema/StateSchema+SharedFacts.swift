extension StateSchema {
    static let sharedFacts = """
        -- Facts that one process learned and that the others must know. The subject is a keyed digest.
        -- AUTOINCREMENT: a sequence number is never reused, so that followers miss no row.
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
        CREATE INDEX shared_fact_ends ON shared_fact (ends);
        """
}
