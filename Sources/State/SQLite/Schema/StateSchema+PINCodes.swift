extension StateSchema {
    static let pinCodes = """
        -- The codes that readers were mailed. Neither an account nor a code is in it, but keyed digests of them.
        CREATE TABLE pin_code (
            account BLOB NOT NULL PRIMARY KEY,
            code BLOB NOT NULL,
            ends REAL NOT NULL,
            attempts INTEGER NOT NULL -- so many are left
        ) STRICT, WITHOUT ROWID;
        CREATE INDEX pin_code_ends ON pin_code (ends);
        """
}
