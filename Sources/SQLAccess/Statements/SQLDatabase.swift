import Foundation
package import Primitives

/// A database that runs a publisher's own statements: the functions of PostgreSQL or ODBC that
/// `SQLSubscriberBackend` needs.
package protocol SQLDatabase: Sendable {
    /// Runs a statement with bound parameters, never spliced, and returns all rows, at most
    /// ``SQLStatement/maxRows``.
    ///
    /// - Parameter values: The values by parameter name. A parameter without a value is bound to NULL. No value
    ///   contains a NUL character.
    /// - Throws: An error if the rows could not be read completely, because a partial result is not a result. The
    ///   error is a ``SQLDatabaseFailure`` or another `BackendFailure`, and its cause quotes no text from the
    ///   server.
    func rows(_ statement: SQLStatement, _ values: [String: String]) async throws -> SQLRows
}

/// A database error, which may concern a value rather than the database.
package protocol SQLDatabaseFailure: RequestScopedFailure {
    /// A Boolean value that indicates whether the database rejects a bound value for its type: not a number, not a
    /// date, or a character that its encoding lacks. Such a value belongs to no reader, and its error is not an
    /// outage. A client that types letters instead of a number must not be able to open the circuit breaker.
    var isValueError: Bool { get }
}

/// The complete result of a statement.
package struct SQLRows: Sendable, Equatable {
    /// The names of the columns in order, also if there are no rows.
    package let columns: [String]
    /// The rows. Each row has one entry per column, nil for NULL.
    package let rows: [[String?]]

    package init(columns: [String], rows: [[String?]]) {
        self.columns = columns
        self.rows = rows
    }

    /// A Boolean value that indicates whether any row of the only column means yes.
    ///
    /// - Throws: ``SQLResultError/ambiguousVerdict`` for several columns, and for a row that means neither yes nor
    ///   no. The check is strict because a statement such as `SELECT count(*)` or `SELECT EXISTS (…)` returns a row
    ///   for every reader.
    package var isAffirmative: Bool {
        get throws(SQLResultError) {
            guard columns.count == 1 else { throw .ambiguousVerdict }
            var isYes = false
            for row in rows {
                switch row.first.flatMap(\.self)?.trimmingCharacters(in: .whitespaces).lowercased() {
                case "1", "t", "true", "y", "yes": isYes = true
                case nil, "", "0", "f", "false", "n", "no": break
                default: throw .ambiguousVerdict
                }
            }
            return isYes
        }
    }
}

/// An unusable result of a statement, for every database.
package enum SQLResultError: BackendFailure, Equatable {
    /// More than ``SQLStatement/maxRows`` rows.
    case tooManyRows
    /// The statement returns no rows, such as an UPDATE without RETURNING.
    case noRows
    /// A verdict that is neither yes nor no.
    case ambiguousVerdict

    package var cause: String {
        switch self {
        case .tooManyRows: "the statement returns more than \(SQLStatement.maxRows) rows"
        case .noRows: "the statement returns no result set"
        case .ambiguousVerdict:
            "`queries.verdict` returns something other than one column of 1, t, true, y, yes or 0, f, false, n, no"
        }
    }
}
