import Foundation
import Gatefold
import Protections

/// A database that answers a publisher's own statements: what ``SQLSubscriberBackend`` needs of PostgreSQL or of ODBC.
protocol SQLDatabase: Sendable {
    /// Runs a statement with its parameters bound, never spliced, and returns all rows, at most ``SQLStatement/mostRows``.
    ///
    /// - Parameter values: by the names of the statement's parameters; a name without a value is bound to NULL. No value
    ///   holds a NUL.
    /// - Throws: whenever the rows could not be had to the last one; half an answer is none. The error is a
    ///   ``SQLDatabaseFailure`` or another `BackendFailure`, and its cause quotes nothing the server said.
    func rows(_ statement: SQLStatement, _ values: [String: String]) async throws -> SQLRows
}

/// An error of a database, which may be about a value rather than the database.
protocol SQLDatabaseFailure: AnswerFailure {
    /// Whether the database says that a bound value can not be what the statement takes it for: no number, no date, or a
    /// letter that its encoding does not have. Such a value is nobody's, and its error no outage: who types letters for a
    /// number must not be able to open the circuit breaker.
    var isOfValue: Bool { get }
}

/// The whole answer to a statement.
package struct SQLRows: Sendable, Equatable {
    /// The names of the columns in their order, also where there is no row.
    package let columns: [String]
    /// Each row has one entry for each column, nil for NULL.
    package let rows: [[String?]]

    package init(columns: [String], rows: [[String?]]) {
        self.columns = columns
        self.rows = rows
    }

    /// Whether any row of the one column says yes.
    ///
    /// - Throws: for several columns, and for a row that says neither yes nor no: a statement such as `SELECT count(*)` or
    ///   `SELECT EXISTS (…)` has a row for everybody.
    var sayYes: Bool {
        get throws(SQLAnswerError) {
            guard columns.count == 1 else { throw .unclearVerdict }
            var isYes = false
            for row in rows {
                switch row.first.flatMap(\.self)?.trimmingCharacters(in: .whitespaces).lowercased() {
                case "1", "t", "true", "y", "yes": isYes = true
                case nil, "", "0", "f", "false", "n", "no": break
                default: throw .unclearVerdict
                }
            }
            return isYes
        }
    }

    /// The rows as records.
    ///
    /// A wanted column is found whatever its case, because some systems answer in upper case whatever was asked. One that
    /// is not there, or is there twice, is a mistake in the statement, and told also where there is no row.
    ///
    /// - Parameters:
    ///   - wanted: columns that have to be there.
    ///   - optional: columns that may be.
    func records(_ wanted: Set<String>, optional: Set<String> = []) throws(MappingError) -> [Record] {
        var places: [(name: String, index: Int)] = []
        for name in wanted.union(optional).sorted() {
            let exact = columns.indices.filter { columns[$0] == name }
            let found = exact.isEmpty ? columns.indices.filter { columns[$0].lowercased() == name.lowercased() } : exact
            guard found.count <= 1 else { throw .severalValues(name) }
            if let index = found.first {
                places.append((name, index))
            } else if wanted.contains(name) {
                throw .missingField(name)
            }
        }
        return rows.map { row in
            var fields: [String: [String]] = [:]
            for place in places {
                fields[place.name] = (place.index < row.count ? row[place.index] : nil).map { [$0] } ?? []
            }
            return Record(fields, namesEveryField: true)
        }
    }
}

/// Why the answer of a database is none, whatever the database.
enum SQLAnswerError: BackendFailure, Equatable {
    /// More than ``SQLStatement/mostRows``.
    case tooManyRows
    /// The statement has no rows to give, as an UPDATE without RETURNING.
    case noRows
    /// A verdict that is neither yes nor no.
    case unclearVerdict

    var cause: String {
        switch self {
        case .tooManyRows: "the statement answers with more than \(SQLStatement.mostRows) rows"
        case .noRows: "the statement has no rows to give"
        case .unclearVerdict:
            "`queries.verdict` answers with something else than one column of 1, t, true, y, yes or 0, f, false, n, no"
        }
    }
}
