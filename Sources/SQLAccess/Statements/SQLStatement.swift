import Primitives

/// A configured statement with named parameters, such as `SELECT id FROM readers WHERE email = :identifier`.
///
/// Input of a reader never becomes part of the text. Each parameter becomes a placeholder, and its value is sent
/// separately.
package struct SQLStatement: Sendable, Equatable {
    /// The maximum number of rows in a result. A larger result is rejected, because no reader holds more editions
    /// than this and a forgotten WHERE would fetch every reader.
    package static let maxRows = 100_000

    /// The statement as configured.
    package let text: String
    /// The statement in the syntax of its dialect. PostgreSQL uses `$1` and binds a repeated name once. ODBC uses
    /// `?` and binds a repeated name each time.
    package let bound: BoundStatement

    /// The names of the parameters.
    package var parameters: Set<String> { Set(bound.parameters) }

    /// - Throws: ``SQLStatementError`` if the text is not exactly one statement or is ambiguous.
    package init(_ text: String, dialect: SQLDialect) throws(SQLStatementError) {
        self.text = text
        var order: [String] = []
        let sql = try SQLScanner.template(text, dialect: dialect).render { name in
            switch dialect {
            case .odbc:
                order.append(name)
                return "?"
            case .postgreSQL:
                let index = order.firstIndex(of: name) ?? order.endIndex
                if index == order.endIndex { order.append(name) }
                return "$\(index + 1)"
            }
        }
        bound = BoundStatement(sql: sql, parameters: order)
    }
}

/// The cause that makes a text unacceptable as a statement.
package enum SQLStatementError: Error, Equatable, CustomStringConvertible {
    case empty
    case severalStatements
    case unfinished(String)
    case placeholder(String)
    case ambiguous(String)
    case unacceptableCharacter

    package var description: String {
        switch self {
        case .empty: "expected a statement such as SELECT"
        case .severalStatements: "expected one statement, with a semicolon at its end at most"
        case .unfinished(let what): "has \(what) without an end"
        case .placeholder(let what): "expected named parameters such as :identifier, not \(what)"
        case .ambiguous(let what): "has \(what), which databases read in different ways"
        case .unacceptableCharacter: "has a NUL character"
        }
    }
}
