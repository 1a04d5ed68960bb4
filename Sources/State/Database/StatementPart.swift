/// A part of a batch of rows, small enough for one statement.
enum StatementPart {
    /// The maximum number of rows in one statement, which bounds its number of parameters.
    private static let maxRows = 100

    /// Passes the values to the closure, part by part.
    static func each<Value>(of values: [Value], _ body: ([Value]) throws -> Void) rethrows {
        for start in stride(from: 0, to: values.count, by: maxRows) {
            try body(Array(values[start..<min(start + maxRows, values.count)]))
        }
    }

    /// Returns the condition that some columns have one of several combinations of values.
    ///
    /// - Parameter columns: The names of the columns, separated by spaces.
    static func condition(_ columns: String, _ count: Int) -> String {
        let one = columns.split(separator: " ").map { "\($0) = ?" }.joined(separator: " AND ")
        return Array(repeating: "(\(one))", count: count).joined(separator: " OR ")
    }
}
