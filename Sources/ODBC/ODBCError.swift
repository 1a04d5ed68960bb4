/// An error of a database query. It holds codes and no text of a driver or server, because those texts quote
/// values.
public enum ODBCError: Error, Equatable, Sendable, CustomStringConvertible {
    /// The step that failed.
    public enum Step: String, Sendable {
        case connect
        case prepare
        case bind
        case execute
        case fetch
    }

    /// The driver manager, the driver or the server returned an error.
    case failed(Step, sqlState: String, native: Int32)
    /// The connection's time limit passed without a result.
    case timedOut(Step)
    /// ``ODBCConnection/interrupt()`` was called.
    case interrupted
    /// The statement returns no columns.
    case noColumns
    case tooManyRows
    case valueTooLong
    case resultTooLarge
    /// A value is not text in the connection's encoding.
    case undecodable
    /// A parameter has characters that the connection's encoding does not contain, so no stored value can equal it.
    case unencodable

    public var description: String {
        switch self {
        case .failed(let step, let state, let native):
            "\(step.rawValue) failed with SQLSTATE \(state), native code \(native)"
                + (Self.meaning(state, step).map { ": \($0)" } ?? "")
        case .timedOut(let step): "no response in time (\(step.rawValue))"
        case .interrupted: "interrupted"
        case .noColumns: "the statement returns no result set"
        case .tooManyRows: "the result has too many rows"
        case .valueTooLong: "the result has a value of more than the allowed length"
        case .resultTooLarge: "the result is larger than allowed"
        case .undecodable: "the result has a value that is not text in the connection's encoding"
        case .unencodable: "a parameter cannot be written in the connection's encoding"
        }
    }

    /// A Boolean value that indicates whether the connection may be lost, so that it must not be used again.
    /// Drivers report a lost connection with various codes, so this is true for every error that is not clearly
    /// about the statement alone.
    public var endsConnection: Bool {
        switch self {
        case .failed where mayBeValueError: false
        case .failed(_, let state, _): !["22", "23", "42"].contains { state.hasPrefix($0) }
        case .timedOut, .interrupted, .tooManyRows, .valueTooLong, .resultTooLarge, .undecodable: true
        case .noColumns, .unencodable: false
        }
    }

    /// A Boolean value that indicates whether the connection may have been lost before the query was sent, so that
    /// a retry on a new connection may help.
    public var isConnectionLoss: Bool {
        guard case .failed(_, let state, _) = self, endsConnection else { return false }
        // A timeout (HYT) and a cancelled statement (57014) show that the server responded.
        return !state.hasPrefix("HYT") && state != "57014" && state != "HY008"
    }

    /// A Boolean value that indicates whether the bound values may be the cause: not a number, not a date, or
    /// characters that a column does not support.
    public var mayBeValueError: Bool {
        switch self {
        case .unencodable: true
        // MariaDB: illegal mix of collations, its error for a character that the column does not support. Oracle:
        // ORA-01722, invalid number.
        case .failed(.execute, "HY000", let native): [1267, 1270, 1271, 1722].contains(native)
        // Errors of a fetch are excluded, because they concern stored values and not the bound values.
        case .failed(let step, let state, _):
            [.prepare, .bind, .execute].contains(step)
                && Self.valueErrorStates.contains(state)
        default: false
        }
    }

    /// The SQLSTATEs for a value that is too long, not a number, not a date, not encodable or not a pattern, in the
    /// codes of the standard and of PostgreSQL.
    private static let valueErrorStates: Set = [
        "22001", "22003", "22007", "22008", "22018", "22019", "22021", "22025", "2201B", "22P02", "22P05",
    ]

    /// A Boolean value that indicates whether the data of one query, bound or stored, are the cause (SQLSTATE class
    /// 22, data exception).
    public var isDataError: Bool {
        switch self {
        case .failed(let step, let state, _): step != .connect && (state.hasPrefix("22") || mayBeValueError)
        case .unencodable, .undecodable, .valueTooLong: true
        default: false
        }
    }

    private static func meaning(_ state: String, _ step: Step) -> String? {
        switch state {
        case "IM002": "neither odbc.ini nor odbcinst.ini has this data source or driver"
        case "IM003", "IM004", "IM005": "the driver could not be loaded"
        case "01000" where step == .connect: "the driver could not be loaded"
        case "28000", "28P01": "the user or password was not accepted"
        case "08001", "08004": "the server could not be reached, or did not accept the user"
        case "08S01", "08003", "08007": "the connection was lost"
        case "42S02", "42P01": "a table is missing"
        case "42S22", "42703": "a column is missing"
        case "HYT00", "HYT01", "57014": "no response in time"
        case "07002", "07001": "the number of parameters is not that of the statement"
        default: nil
        }
    }
}
