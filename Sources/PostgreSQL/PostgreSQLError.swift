/// Why PostgreSQL could not be asked. Holds no text of the server, because those quote values.
public enum PostgreSQLError: Error, Equatable, Sendable {
    case couldNotConnect(ConnectFailure)
    /// The server answered with an error; its SQLSTATE (PostgreSQL manual, appendix A).
    case answered(sqlState: String)
    /// The connection ended before the answer.
    case lost
    /// The answer took longer than the caller would wait.
    case timedOut
    /// Another thread called ``PostgreSQLConnection/interrupt()``.
    case interrupted
    /// What came is no answer of PostgreSQL's protocol.
    case unexpectedAnswer
    /// The statement has no rows to give.
    case noRows
    /// More rows, or more bytes in them, than the caller would take.
    case tooManyRows
    /// A text that is not UTF-8, as a database in SQL_ASCII may hand over.
    case unreadableText

    /// Whether the connection was gone before the question could be answered, so that asking again elsewhere may help.
    public var isLoss: Bool {
        switch self {
        case .lost: true
        // admin_shutdown, crash_shutdown, cannot_connect_now, idle_session_timeout, and connection exceptions.
        case .answered(let state): ["57P01", "57P02", "57P03", "57P05"].contains(state) || state.hasPrefix("08")
        default: false
        }
    }

    /// Whether the server says that a bound value can not be what the statement takes it for: no number, no date, or a
    /// letter that the database's encoding does not have.
    public var isOfValue: Bool {
        guard case .answered(let state) = self else { return false }
        return ["22P02", "22003", "22007", "22008", "22021", "22P05"].contains(state)
    }
}

/// Why no server took a connection.
public enum ConnectFailure: Error, Equatable, Sendable {
    /// The account's name, password or certificate, or pg_hba.conf (SQLSTATE class 28).
    case authentication
    /// No TLS where it is asked for, or a certificate that can not be trusted.
    case tls
    /// A server answers, and is not such a one as `target_session_attrs` asks for.
    case unsuitableServer
    /// The server's own error while connecting, by its SQLSTATE.
    case answered(sqlState: String)
    /// What listens there does not speak PostgreSQL's protocol, or hangs up.
    case unexpectedAnswer
    case timedOut
    case nameNotFound
    /// Nobody listens.
    case unreachable

    /// Of the failures of several hosts, the most telling is reported.
    var rank: Int {
        switch self {
        case .authentication: 0
        case .tls: 1
        case .unsuitableServer: 2
        case .answered: 3
        case .unexpectedAnswer: 4
        case .timedOut: 5
        case .nameNotFound: 6
        case .unreachable: 7
        }
    }

    /// Reads the message of libpq, asked to give no more of the server's than its SQLSTATE (PQERRORS_SQLSTATE).
    init(message: String) {
        let lines = message.split(whereSeparator: \.isNewline)
        if let state = lines.compactMap(Self.sqlState).last {
            self = state.hasPrefix("28") ? .authentication : .answered(sqlState: state)
            return
        }
        func says(_ words: String...) -> Bool { words.contains { message.contains($0) } }
        self =
            if says("invalid response", "expected authentication") {
                .unexpectedAnswer
            } else if says("password authentication", "no password supplied") {
                .authentication
            } else if says("session is", "hot standby mode", "read-write", "read-only") {
                .unsuitableServer
            } else if says("SSL", "certificate", "TLS") {
                .tls
            } else if says("translate host name") {
                .nameNotFound
            } else if says("timeout expired", "timed out") {
                .timedOut
            } else if says("closed the connection", "could not receive") {
                .unexpectedAnswer
            } else {
                .unreachable
            }
    }

    /// The SQLSTATE at the end of a line such as `… failed: FATAL:  28P01`.
    private static func sqlState(in line: Substring) -> String? {
        let word = line.reversed().prefix { $0.isASCII && ($0.isNumber || $0.isUppercase) }
        let state = String(word.reversed())
        guard state.count == 5, state.contains(where: \.isNumber), line.dropLast(5).hasSuffix(":  ") else { return nil }
        return state
    }
}
