/// The table in which a database records the changes that were made.
///
/// The recorded names are lower-case hexadecimal digits, so that no collation confuses two of them.
enum IdempotencyTable {
    static let name = "gatefold_command_id"

    static let creation = """
        CREATE TABLE IF NOT EXISTS gatefold_delivery (\
        id varchar(64) NOT NULL PRIMARY KEY, delivery varchar(700) NOT NULL, delivered_at timestamp NOT NULL)
        """
    static let insertion = """
        INSERT INTO gatefold_delivery (id, delivery, delivered_at) VALUES (:gatefold_command_id, :id, CURRENT_TIMESTAMP)
        """
    static let search = "SELECT id FROM gatefold_delivery WHERE id = :gatefold_command_id"
}
