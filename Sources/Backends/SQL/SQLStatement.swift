/// A statement of the configuration with named parameters, such as `SELECT id FROM readers WHERE email = :identifier`.
///
/// What a reader typed is never part of the text: a parameter becomes a placeholder, and its value travels beside it.
struct SQLStatement: Sendable, Equatable {
    /// An answer of more rows is refused: nobody holds so many editions, and a forgotten WHERE would fetch everybody.
    static let mostRows = 100_000

    /// The statement as it was written.
    let text: String
    /// As the dialect it was read in has it: `$1` for PostgreSQL, where a name that comes twice is bound once, or `?` for
    /// ODBC, where it is bound as often as it comes.
    let bound: BoundStatement

    /// The names of its parameters.
    var parameters: Set<String> { Set(bound.parameters) }

    /// - Throws: ``SQLStatementError`` for what is not exactly one statement, or can be read in two ways.
    init(_ text: String, dialect: SQLDialect) throws(SQLStatementError) {
        self.text = text
        var sql = ""
        var order: [String] = []
        for part in try SQLScanner.parts(of: text, dialect: dialect) {
            switch part {
            case .text(let text):
                sql += text
            case .parameter(let name):
                switch dialect {
                case .odbc:
                    order.append(name)
                    sql += "?"
                case .postgreSQL:
                    let index = order.firstIndex(of: name) ?? order.endIndex
                    if index == order.endIndex { order.append(name) }
                    sql += "$\(index + 1)"
                }
            }
        }
        bound = BoundStatement(sql: sql, parameters: order)
    }
}

/// Why a text is no statement that Gatefold would send.
enum SQLStatementError: Error, Equatable, CustomStringConvertible {
    case empty
    case severalStatements
    case unfinished(String)
    case placeholder(String)
    case ambiguous(String)
    case unacceptableCharacter

    var description: String {
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
