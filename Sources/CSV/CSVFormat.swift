/// How a file of separated values is written (RFC 4180), and what is too much of it.
public struct CSVFormat: Sendable, Equatable {
    public enum Separator: UInt8, Sendable, CaseIterable {
        case comma = 0x2C
        case semicolon = 0x3B
        case tab = 0x09
        case pipe = 0x7C
    }

    public var separator: Separator
    /// The most bytes one row may have.
    public var longestRow: Int
    /// The most fields one row may have.
    public var mostFields: Int

    public init(separator: Separator = .comma, longestRow: Int = 1 << 20, mostFields: Int = 256) {
        self.separator = separator
        self.longestRow = max(1, longestRow)
        self.mostFields = max(1, mostFields)
    }
}
