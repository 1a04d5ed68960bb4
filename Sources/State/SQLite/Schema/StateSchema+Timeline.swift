extension StateSchema {
    static let timeline = """
        -- What happened to readers, see TimelineEvent. No column has an identifier, a token or a secret in clear.
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
        CREATE INDEX reader_event_subject ON reader_event (subject, category, time, sequence);
        CREATE INDEX reader_event_time ON reader_event (category, time);
        CREATE UNIQUE INDEX reader_event_repetition ON reader_event (repetition) WHERE repetition IS NOT NULL;
        -- The readers to whom the pseudonyms of events belong. A reader without events has no row.
        CREATE TABLE known_reader (
            subject BLOB NOT NULL PRIMARY KEY, -- as reader_event.subject
            sealed BLOB NOT NULL -- the backend and the key of the subscriber
        ) STRICT, WITHOUT ROWID;
        -- The readers of whom no event is stored, because they were erased.
        CREATE TABLE erased_reader (
            subject BLOB NOT NULL PRIMARY KEY, -- as reader_event.subject
            erased REAL NOT NULL, -- when the reader was erased
            seen REAL NOT NULL -- when an event was last rejected, to within a day
        ) STRICT, WITHOUT ROWID;
        CREATE INDEX erased_reader_seen ON erased_reader (seen);
        -- The processes that write events.
        CREATE TABLE timeline_writer (
            id BLOB NOT NULL PRIMARY KEY,
            number INTEGER NOT NULL, -- of the last event that it wrote
            written REAL NOT NULL -- when it wrote last
        ) STRICT, WITHOUT ROWID;
        """
}
