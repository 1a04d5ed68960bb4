/// A connection that groups several statements in a transaction. Only one thread uses it.
protocol SQLTransaction {
    func begin() throws
    /// Runs a statement and returns the number of rows that it changed or returned; nil if the database does not
    /// count them.
    func run(_ sql: String, _ values: [String?]) throws -> Int?
    func hasRow(_ sql: String, _ values: [String?]) throws -> Bool
    func commit() throws
    func rollBack() throws
}

extension SQLTransaction {
    /// Makes a change, unless its marker exists.
    ///
    /// Two concurrent calls with the same change conflict at the marker's primary key. One call waits for the
    /// other, and then finds the change made.
    func make(_ change: SQLChange, _ statements: SQLCommandStatements) throws -> SQLChange.Outcome {
        try begin()
        do {
            _ = try run(statements.insertion.sql, statements.insertion.ordered(change))
        } catch {
            try? rollBack()
            // The error for an existing row differs between databases. The row itself is reliable.
            if (try? hasRow(statements.search.sql, statements.search.ordered(change))) == true {
                return .alreadyApplied
            }
            throw error
        }
        do {
            for (index, step) in statements.steps.enumerated()
            where try run(step.sql, step.ordered(change)) == 0 {
                try rollBack()
                return .noRowsChanged(statement: index + 1)
            }
            try commit()
            return .made
        } catch {
            try? rollBack()
            throw error
        }
    }
}
