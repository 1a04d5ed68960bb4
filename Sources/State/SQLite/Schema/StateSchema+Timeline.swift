extension StateSchema {
    static let timeline = """
        -- What happened to readers, see TimelineEvent. No column has an identifier, a token or a secret in clear.
        CREATE TABLE reader_event (
            sequence INTEGER PRIMARY KEY AUTOINCREMENT,
            subject BLOB NOT NULL, -- TimelineSubject: a byte for its kind, and a pseudonym or a digest
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
            detail TEXT
        ) STRICT;
        CREATE INDEX reader_event_subject ON reader_event (subject, time, sequence);
        CREATE INDEX reader_event_time ON reader_event (time);
        -- The readers to whom the pseudonyms of events belong.
        CREATE TABLE known_reader (
            subject BLOB NOT NULL PRIMARY KEY, -- as reader_event.subject
            sealed BLOB NOT NULL, -- the backend and the key of the subscriber
            seen REAL NOT NULL -- when an event was last recorded, to within a day
        ) STRICT, WITHOUT ROWID;
        CREATE INDEX known_reader_seen ON known_reader (seen);
        """
}
