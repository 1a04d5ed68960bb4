/// A set of a publisher's statements that take effect once, under a unique name.
///
/// The statements run in one transaction together with a marker of that name. If the caller repeats the change
/// because the first result was lost, the marker exists and nothing is changed.
package struct SQLChange: Sendable {
    /// The permanent name of the change: at most 64 letters, digits and hyphens.
    package let name: String
    /// The values of the parameters. A missing value is NULL.
    package let values: [String: String]

    package init(name: String, values: [String: String]) {
        self.name = name
        self.values = values
    }

    package enum Outcome: Sendable, Equatable {
        case made
        /// An earlier call made the change.
        case alreadyApplied
        /// A statement changed no row, so the whole change was rolled back.
        ///
        /// - Parameter statement: The number of the statement, counted from 1.
        case noRowsChanged(statement: Int)
    }
}

/// A database that makes changes.
package protocol SQLCommandExecutor: Sendable {
    /// Makes a change.
    ///
    /// - Throws: A `BackendFailure` if it is unknown whether the change was made. ``SQLCommandRejected`` or another
    ///   `RequestScopedFailure` for this change if the change was not made for a reason in the change.
    func make(_ change: SQLChange) async throws -> SQLChange.Outcome
}

/// A change that the database or its rules do not accept.
package struct SQLCommandRejected: SQLDatabaseFailure, Equatable {
    package let cause: String
    package var isRequestScoped: Bool { true }
    package var isValueError: Bool { true }

    /// Returns whether an SQLSTATE denotes a rejected change: data that does not fit (22), a constraint (23), or an
    /// error raised by a procedure (45, P0).
    static func isRejection(sqlState: String) -> Bool { ["22", "23", "45", "P0"].contains { sqlState.hasPrefix($0) } }
}
