/// A row of separated values.
public struct CSVRow: Sendable, Equatable {
    /// The physical line on which the row begins. The first line is 1.
    public let line: Int
    public let fields: [String]

    public init(line: Int, fields: [String]) {
        self.line = line
        self.fields = fields
    }
}

/// An error of one unreadable row. The following rows are still read.
public struct CSVRowError: Error, Sendable, Equatable, CustomStringConvertible {
    public enum Reason: Sendable, Equatable {
        /// The file ends inside quotes.
        case unterminatedQuote
        /// An unquoted field contains a quote, or a closing quote is followed by other text.
        case strayQuote
        /// - Parameter field: counted from 1.
        case invalidUTF8(field: Int)
        case tooLong(limit: Int)
        case tooManyFields(limit: Int)
    }

    /// The physical line on which the row begins.
    public let line: Int
    public let reason: Reason

    public init(line: Int, reason: Reason) {
        self.line = line
        self.reason = reason
    }

    public var description: String { "line \(line): \(reason.explanation)" }
}

extension CSVRowError.Reason {
    /// The message without the line number.
    public var explanation: String {
        switch self {
        case .unterminatedQuote: "a quoted field is not closed before the end of the file"
        case .strayQuote: "a quote must enclose a whole field, and be doubled inside it"
        case .invalidUTF8(let field): "field \(field): expected UTF-8"
        case .tooLong(let limit): "a row has at most \(limit) bytes"
        case .tooManyFields(let limit): "a row has at most \(limit) fields"
        }
    }
}
