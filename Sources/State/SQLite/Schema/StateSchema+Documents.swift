extension StateSchema {
    static let documents = """
        -- Documents that one node fetches and all nodes use, such as catalogues.
        CREATE TABLE document (
            name TEXT NOT NULL PRIMARY KEY,
            version BLOB, -- the SHA-256 of the content; NULL: no fetch has succeeded yet
            parts INTEGER NOT NULL, -- the number of parts of the content
            details BLOB NOT NULL, -- the result of the last fetch
            due REAL NOT NULL, -- the next fetch
            sequence INTEGER NOT NULL -- grows with each write
        ) STRICT, WITHOUT ROWID;
        CREATE TABLE document_part (
            name TEXT NOT NULL,
            version BLOB NOT NULL,
            number INTEGER NOT NULL, -- from 0
            content BLOB NOT NULL,
            PRIMARY KEY (name, version, number)
        ) STRICT;
        """
}
