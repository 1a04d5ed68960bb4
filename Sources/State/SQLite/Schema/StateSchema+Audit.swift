extension StateSchema {
    static let audit = """
        -- The audit log. Each entry has the hash of the entry before, see AuditChain. Rows are never changed or deleted.
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
        CREATE INDEX audit_entry_subject ON audit_entry (subject, sequence);
        """

    /// The triggers that reject changes of entries, and an entry that does not follow the last one. They prevent mistakes. An
    /// owner of the database can remove them, which the hashes then show.
    ///
    /// The rows of an incomplete copy have the numbers of its source, see ``StateCopy/marker``. A log with a gap can thus be
    /// copied, because whether it is intact is the concern of a verification.
    static let auditTriggers = """
        CREATE TRIGGER audit_entry_insert BEFORE INSERT ON audit_entry
        WHEN EXISTS (SELECT 1 FROM audit_entry WHERE id = NEW.id)
            OR NEW.sequence IS NOT coalesce((SELECT max(sequence) FROM audit_entry), 0) + 1
            AND NOT EXISTS (SELECT 1 FROM lease WHERE name = 'unfinished copy')
        BEGIN SELECT RAISE(ABORT, 'an entry of the audit log follows the last one'); END;
        CREATE TRIGGER audit_entry_update BEFORE UPDATE ON audit_entry
        BEGIN SELECT RAISE(ABORT, 'entries of the audit log never change'); END;
        CREATE TRIGGER audit_entry_delete BEFORE DELETE ON audit_entry
        BEGIN SELECT RAISE(ABORT, 'entries of the audit log are never deleted'); END;
        """
}
