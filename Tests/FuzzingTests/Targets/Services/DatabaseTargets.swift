import Gatefold
import Primitives

@testable import Backends
@testable import ODBC
@testable import PostgreSQL
@testable import SQLAccess

extension FuzzTarget {
    /// A publisher's statement: nothing inside quotes is bound, and the remaining text keeps its meaning (Pitfall 13).
    static let sqlStatement = FuzzTarget("sql-statement", upTo: 256, of: "SQLScanner", "SQLStatement") { bytes in
        let text = text(bytes)
        for dialect in [SQLDialect.postgreSQL, .odbc] {
            guard let template = try? SQLScanner.template(text, dialect: dialect) else { continue }
            let written = template.render { ":\($0)" }
            promise((try? SQLScanner.template(written, dialect: dialect)) == template, "a statement was changed")
        }
    }

    /// Messages of databases and the texts in them.
    static let databaseTexts = FuzzTarget(
        "database-texts", upTo: 256, of: "PostgreSQLError", "ODBCEncoding"
    ) { bytes in
        let text = text(bytes)
        _ = PostgreSQLError.isBoundValueError(context: text, values: 2)
        if case .serverError(let state) = ConnectFailure(message: text) {
            promise(state.utf8.count == 5, "a value is not an SQLSTATE")
        }
        for encoding in [ODBCEncoding.utf8, .latin1, .windows1252] {
            guard let read = encoding.decode(bytes) else {
                promise(encoding == .utf8, "a byte has no character")
                continue
            }
            if let again = encoding.encode(read) { promise(again == bytes, "a character does not round-trip") }
        }
    }
}
