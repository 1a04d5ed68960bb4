extension StateSchema {
    static let pinCodes = """
        -- The codes sent to readers by e-mail. Accounts and codes are stored as keyed digests.
        CREATE TABLE pin_code (
            account BLOB NOT NULL PRIMARY KEY,
            code BLOB NOT NULL,
            ends REAL NOT NULL,
            attempts INTEGER NOT NULL -- remaining
        ) STRICT, WITHOUT ROWID;
        CREATE INDEX pin_code_ends ON pin_code (ends);
        """
}
