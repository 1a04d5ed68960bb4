extension StateSchema {
    static let deliveryLeases = """
        -- Of the attempt that is under way, until it ends or `next`, whichever is first; NULL: there is none.
        ALTER TABLE delivery ADD COLUMN lease BLOB;
        """
}
