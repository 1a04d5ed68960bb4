/// Why a question could not be answered. Holds codes and no text of a driver or server, because those quote values.
public enum ODBCError: Error, Equatable, Sendable, CustomStringConvertible {
    /// What was being done.
    public enum Step: String, Sendable {
        case connect
        case prepare
        case bind
        case execute
        case fetch
    }

    /// The driver manager, the driver or the server refused.
    case failed(Step, sqlState: String, native: Int32)
    /// No answer in the time that the connection allows.
    case timedOut(Step)
    /// ``ODBCConnection/interrupt()`` was called.
    case interrupted
    /// The statement has no columns to give.
    case noColumns
    case tooManyRows
    case valueTooLong
    case answerTooLarge
    /// A value is not text in the connection's encoding.
    case undecodable
    /// A parameter has letters that the connection's encoding has not: no stored value can equal it.
    case unencodable

    public var description: String {
        switch self {
        case .failed(let step, let state, let native):
            "\(step.rawValue) failed with SQLSTATE \(state), native code \(native)"
                + (Self.meaning(state, step).map { ": \($0)" } ?? "")
        case .timedOut(let step): "no answer in time (\(step.rawValue))"
        case .interrupted: "interrupted"
        case .noColumns: "the statement has no rows to give"
        case .tooManyRows: "the answer has too many rows"
        case .valueTooLong: "the answer has a value of more than the allowed length"
        case .answerTooLarge: "the answer is larger than allowed"
        case .undecodable: "the answer has a value that is not text in the connection's encoding"
        case .unencodable: "a parameter can not be written in the connection's encoding"
        }
    }

    /// Whether the connection may be gone, so that it must not be used again. A driver may call that by any name, so it is
    /// everything but what a statement by itself can be refused for.
    public var endsConnection: Bool {
        switch self {
        case .failed where mayLieInValues: false
        case .failed(_, let state, _): !["22", "23", "42"].contains { state.hasPrefix($0) }
        case .timedOut, .interrupted, .tooManyRows, .valueTooLong, .answerTooLarge, .undecodable: true
        case .noColumns, .unencodable: false
        }
    }

    /// Whether the connection may have been gone before the question was asked, so that asking on a new one may help.
    public var isLoss: Bool {
        guard case .failed(_, let state, _) = self, endsConnection else { return false }
        // A timeout (HYT) and a cancelled statement (57014) say that somebody is there.
        return !state.hasPrefix("HYT") && state != "57014" && state != "HY008"
    }

    /// Whether it may lie in the values that were bound: not a number, not a date, or letters that a column has not.
    public var mayLieInValues: Bool {
        switch self {
        case .unencodable: true
        // MariaDB: illegal mix of collations, which is how it says that a column has not the letter. Oracle: ORA-01722,
        // no number.
        case .failed(.execute, "HY000", let native): [1267, 1270, 1271, 1722].contains(native)
        // Not while fetching: what is read then was stored by somebody else.
        case .failed(let step, let state, _):
            [.prepare, .bind, .execute].contains(step)
                && Self.statesOfValues.contains(state)
        default: false
        }
    }

    /// Too long, no number, no date, letters that are not there, and no pattern; in the words of the standard and PostgreSQL's.
    private static let statesOfValues: Set = [
        "22001", "22003", "22007", "22008", "22018", "22019", "22021", "22025", "2201B", "22P02", "22P05",
    ]

    /// Whether the data of one question are at fault (SQLSTATE class 22, data exception), bound or stored.
    public var isOfData: Bool {
        switch self {
        case .failed(let step, let state, _): step != .connect && (state.hasPrefix("22") || mayLieInValues)
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
        case "HYT00", "HYT01", "57014": "no answer in time"
        case "07002", "07001": "the number of parameters is not that of the statement"
        default: nil
        }
    }
}
