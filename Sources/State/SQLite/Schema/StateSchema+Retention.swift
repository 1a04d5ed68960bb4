extension StateSchema {
    /// Until when things are kept, and the clock by which they are forgotten.
    static let retention = """
        ALTER TABLE revocation ADD COLUMN expires REAL NOT NULL DEFAULT 0; -- no token that it ends expires later
        -- No configuration allows a longer lifetime than ten years.
        UPDATE revocation SET expires = before + 315360000;
        CREATE INDEX revocation_expires ON revocation (publication, expires);
        -- The longest lifetimes that were ever in force.
        CREATE TABLE token_bounds (
            publication TEXT NOT NULL PRIMARY KEY,
            lifetime REAL NOT NULL, -- seconds
            after_expiry REAL NOT NULL, -- for so many seconds it can be renewed, or a download resumed
            forgotten REAL NOT NULL -- the latest expiry of revocations that were forgotten; 0: of none
        ) STRICT, WITHOUT ROWID;
        -- StoreClock; one row.
        CREATE TABLE store_clock (
            id INTEGER NOT NULL PRIMARY KEY CHECK (id = 1),
            moment REAL NOT NULL,
            latest REAL NOT NULL
        ) STRICT;
        ALTER TABLE acquaintance ADD COLUMN identifier BLOB NOT NULL DEFAULT x''; -- of whom; seen is by the store's clock
        CREATE INDEX acquaintance_identifier ON acquaintance (identifier, seen);
        ALTER TABLE receipt ADD COLUMN kept REAL NOT NULL DEFAULT 0; -- when it came first, by the store's clock
        UPDATE receipt SET kept = received;
        -- When the moment before it was set: where that lies ahead, the clock was set back since, and it is over.
        ALTER TABLE receipt ADD COLUMN due_set REAL;
        ALTER TABLE delivery ADD COLUMN next_set REAL;
        ALTER TABLE purchase ADD COLUMN rest_set REAL;
        """
}
