extension StateSchema {
    static let mail = """
        -- E-mails that wait for the mail server. A row is deleted when its message is sent or given up.
        CREATE TABLE mail (
            id BLOB NOT NULL PRIMARY KEY, -- of the header Message-ID
            owner BLOB NOT NULL, -- the reader whose erasure deletes it; empty: none
            ends REAL NOT NULL, -- the time from which on it is not sent
            attempts INTEGER NOT NULL, -- each is recorded before it is made
            next REAL NOT NULL, -- the earliest time of the next attempt
            next_set REAL NOT NULL, -- when next was set, as receipt.due_set
            lease BLOB, -- the attempt in progress, or without a recorded outcome once next has passed; NULL: none
            content BLOB NOT NULL -- the recipient and the message, sealed
        ) STRICT;
        CREATE INDEX mail_next ON mail (next);
        CREATE INDEX mail_owner ON mail (owner);
        """
}
