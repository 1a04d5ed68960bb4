/// What a parameter, a quote and a comment look like to a database.
enum SQLDialect: Sendable {
    /// PostgreSQL: `E'\''`, `$tag$…$tag$`, comments inside comments, parameters `$1`.
    case postgreSQL
    /// Any database behind ODBC: `[…]` and `` `…` `` quote names, parameters are `?`. What the systems read differently,
    /// as a backslash before a quote, is refused, because it is not known which one reads it.
    case odbc
}

/// A statement in a database's own spelling.
struct BoundStatement: Sendable, Equatable {
    /// With placeholders in place of the named parameters, and without comments.
    let sql: String
    /// The names of the parameters in the order in which they are bound.
    let parameters: [String]
}
