/// The format of a file of separated values (RFC 4180), and its limits.
public struct CSVFormat: Sendable, Equatable {
    public enum Separator: UInt8, Sendable, CaseIterable {
        case comma = 0x2C
        case semicolon = 0x3B
        case tab = 0x09
        case pipe = 0x7C
    }

    public var separator: Separator
    /// The maximum size of one row, in bytes. Default: 1 MiB.
    public var maxRowLength: Int
    /// The maximum number of fields in one row. Default: 256.
    public var maxFields: Int

    public init(separator: Separator = .comma, maxRowLength: Int = 1 << 20, maxFields: Int = 256) {
        self.separator = separator
        self.maxRowLength = max(1, maxRowLength)
        self.maxFields = max(1, maxFields)
    }
}
