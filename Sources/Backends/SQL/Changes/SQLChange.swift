import Gatefold

/// Statements of a publisher that are to take effect once, under a name of their own.
///
/// They are run in one transaction with a mark of that name. Whoever asks again, because the answer to the first time was
/// lost, finds the mark and changes nothing.
package struct SQLChange: Sendable {
    /// Names the change for good, in at most 64 letters, digits and hyphens.
    package let name: String
    /// The values of the statements' parameters; one that is missing is NULL.
    package let values: [String: String]

    package init(name: String, values: [String: String]) {
        self.name = name
        self.values = values
    }

    package enum Outcome: Sendable, Equatable {
        case made
        /// It was made when it was asked for before.
        case madeBefore
        /// A statement changed no row, and so nothing was.
        ///
        /// - Parameter statement: which, counted from one.
        case changedNothing(statement: Int)
    }
}

/// A database that makes changes.
package protocol SQLChanging: Sendable {
    /// - Throws: a `BackendFailure` when it is not known whether the change was made; ``SQLChangeRefused`` or another
    ///   `AnswerFailure` about this one change when it was not, for a reason that lies in it.
    func make(_ change: SQLChange) async throws -> SQLChange.Outcome
}

/// The database or its rules do not accept a change.
package struct SQLChangeRefused: SQLDatabaseFailure, Equatable {
    package let cause: String
    package var isOfOneAnswer: Bool { true }
    package var isOfValue: Bool { true }

    /// By its SQLSTATE: data that do not fit (22), a constraint (23), and what a procedure raises (45, P0).
    static func isRefusal(sqlState: String) -> Bool { ["22", "23", "45", "P0"].contains { sqlState.hasPrefix($0) } }
}
