/// The table in which a database notes which changes were made.
///
/// The name in it is one that no collation takes for another: lower-case hexadecimal digits.
enum SQLMark {
    static let name = "gatefold_change"

    static let creation = """
        CREATE TABLE IF NOT EXISTS gatefold_delivery (\
        id varchar(64) NOT NULL PRIMARY KEY, delivery varchar(700) NOT NULL, delivered_at timestamp NOT NULL)
        """
    static let insertion = """
        INSERT INTO gatefold_delivery (id, delivery, delivered_at) VALUES (:gatefold_change, :id, CURRENT_TIMESTAMP)
        """
    static let search = "SELECT id FROM gatefold_delivery WHERE id = :gatefold_change"
}
