/// The whole answer to a statement.
public struct ODBCRows: Sendable, Equatable {
    public let columns: [String]
    /// Each row has one entry for each column, nil for NULL.
    public let rows: [[String?]]
}

/// What an answer may have; a larger one is refused.
public struct ODBCLimits: Sendable {
    public var rows: Int
    /// Of one value, in bytes or UTF-16 code units, as it is fetched.
    public var value: Int
    /// Of all values together, likewise.
    public var answer: Int
    /// What is fetched of a value at once, likewise.
    public var chunk: Int

    public init(rows: Int = 100_000, value: Int = 1 << 20, answer: Int = 64 << 20, chunk: Int = 8 << 10) {
        self.rows = rows
        self.value = value
        self.answer = answer
        self.chunk = max(4, chunk)
    }
}
