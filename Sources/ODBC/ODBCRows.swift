/// The whole result of a statement.
public struct ODBCRows: Sendable, Equatable {
    public let columns: [String]
    /// The rows. Each has one entry for each column, nil for NULL.
    public let rows: [[String?]]
}

/// The limits of a result. A larger result is rejected.
public struct ODBCLimits: Sendable {
    public var rows: Int
    /// The maximum size of one value, in bytes or UTF-16 code units, depending on the transfer encoding. Default:
    /// 1,048,576.
    public var value: Int
    /// The maximum size of all values together, in the same unit. Default: 67,108,864.
    public var result: Int
    /// The size of one fetch of a value, in the same unit. Default: 8192. Minimum: 4.
    public var chunk: Int

    public init(rows: Int = 100_000, value: Int = 1 << 20, result: Int = 64 << 20, chunk: Int = 8 << 10) {
        self.rows = rows
        self.value = value
        self.result = result
        self.chunk = max(4, chunk)
    }
}
