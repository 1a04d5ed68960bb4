/// One connection that can hold several statements together, used by one thread.
protocol SQLTransaction {
    func begin() throws
    /// Returns how many rows the statement changed or gave; nil where nobody counts them.
    func run(_ sql: String, _ values: [String?]) throws -> Int?
    func hasRow(_ sql: String, _ values: [String?]) throws -> Bool
    func commit() throws
    func rollBack() throws
}

extension SQLTransaction {
    /// Makes a change, unless its mark is there.
    ///
    /// Two that make the same change at once meet at the mark's primary key: one waits for the other, and finds it made.
    func make(_ change: SQLChange, _ statements: SQLChangeStatements) throws -> SQLChange.Outcome {
        try begin()
        do {
            _ = try run(statements.insertion.sql, statements.insertion.ordered(change))
        } catch {
            try? rollBack()
            // Which error says that a row is there already differs; the row does not.
            if (try? hasRow(statements.search.sql, statements.search.ordered(change))) == true { return .madeBefore }
            throw error
        }
        do {
            for (index, step) in statements.steps.enumerated()
            where try run(step.sql, step.ordered(change)) == 0 {
                try rollBack()
                return .changedNothing(statement: index + 1)
            }
            try commit()
            return .made
        } catch {
            try? rollBack()
            throw error
        }
    }
}
