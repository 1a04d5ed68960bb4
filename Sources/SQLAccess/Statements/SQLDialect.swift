/// The syntax of parameters, quotes and comments in a database.
package enum SQLDialect: Sendable {
    /// PostgreSQL: `E'\''`, `$tag$…$tag$`, nested comments, parameters `$1`.
    case postgreSQL
    /// Any database behind ODBC: `[…]` and `` `…` `` quote names, parameters are `?`. Syntax that systems read
    /// differently, such as a backslash before a quote, is rejected, because the system behind ODBC is unknown.
    case odbc
}

/// A statement in the syntax of the database.
package struct BoundStatement: Sendable, Equatable {
    /// The SQL text with placeholders instead of named parameters, and without comments.
    package let sql: String
    /// The names of the parameters in binding order.
    package let parameters: [String]
}
