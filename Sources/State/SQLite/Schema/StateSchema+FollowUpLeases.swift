extension StateSchema {
    static let followUpLeases = """
        -- As a delivery's: of the question to the store that is under way, until it ends, or until `due` or `rest`.
        ALTER TABLE receipt ADD COLUMN lease BLOB;
        ALTER TABLE purchase ADD COLUMN lease BLOB;
        """
}
