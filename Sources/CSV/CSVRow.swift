/// One row.
public struct CSVRow: Sendable, Equatable {
    /// The physical line on which the row begins; the first line is 1.
    public let line: Int
    public let fields: [String]

    public init(line: Int, fields: [String]) {
        self.line = line
        self.fields = fields
    }
}

/// Why one row can not be read. The rows after it are not lost.
public struct CSVRowError: Error, Sendable, Equatable, CustomStringConvertible {
    public enum Reason: Sendable, Equatable {
        /// The file ends inside quotes.
        case unterminatedQuote
        /// A quote stands inside an unquoted field, or something follows a closing quote.
        case strayQuote
        /// - Parameter field: counted from 1.
        case invalidUTF8(field: Int)
        case tooLong(most: Int)
        case tooManyFields(most: Int)
    }

    /// The physical line on which the row begins.
    public let line: Int
    public let reason: Reason

    public init(line: Int, reason: Reason) {
        self.line = line
        self.reason = reason
    }

    public var description: String { "line \(line): \(reason.words)" }
}

extension CSVRowError.Reason {
    /// What was expected, without the line.
    public var words: String {
        switch self {
        case .unterminatedQuote: "a quoted field is not closed before the end of the file"
        case .strayQuote: "a quote must enclose a whole field, and be doubled inside it"
        case .invalidUTF8(let field): "field \(field): expected UTF-8"
        case .tooLong(let most): "a row has at most \(most) bytes"
        case .tooManyFields(let most): "a row has at most \(most) fields"
        }
    }
}
