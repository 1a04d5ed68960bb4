extension StateSchema {
    static let audit = """
        -- The audit log. Each entry has the hash of the entry before, see AuditChain. Rows are never changed or deleted.
        CREATE TABLE audit_entry (
            sequence INTEGER NOT NULL PRIMARY KEY, -- from 1 without gaps
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
        """

    /// The triggers that reject changes of entries. They prevent mistakes. An owner of the database can remove them, which
    /// the hashes then show.
    static let auditTriggers = """
        CREATE TRIGGER audit_entry_update BEFORE UPDATE ON audit_entry
        BEGIN SELECT RAISE(ABORT, 'entries of the audit log never change'); END;
        CREATE TRIGGER audit_entry_delete BEFORE DELETE ON audit_entry
        BEGIN SELECT RAISE(ABORT, 'entries of the audit log are never deleted'); END;
        """
}
