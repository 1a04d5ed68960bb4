/// Why PostgreSQL could not be asked. Holds no text of the server, because those quote values.
public enum PostgreSQLError: Error, Equatable, Sendable {
    case couldNotConnect(ConnectFailure)
    /// The server answered with an error; its SQLSTATE (PostgreSQL manual, appendix A).
    case answered(sqlState: String)
    /// The server could not take a bound value for what the statement takes it for; its SQLSTATE.
    case valueRefused(sqlState: String)
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

    /// Whether a bound value is at fault: no number, no date, a letter that the database's encoding does not have, or no
    /// pattern.
    public var isOfValue: Bool {
        switch self {
        case .valueRefused: true
        // invalid_escape_sequence and invalid_regular_expression, which are told where the pattern is used;
        // character_not_in_repertoire and untranslatable_character, of what was sent.
        case .answered(let state): ["22025", "2201B", "22021", "22P05"].contains(state)
        default: false
        }
    }

    /// Whether the data of one question are at fault (SQLSTATE class 22, data exception), bound or stored.
    public var isOfData: Bool {
        switch self {
        case .valueRefused, .unreadableText: true
        case .answered(let state): state.hasPrefix("22")
        default: false
        }
    }

    /// Whether the context of an error says that it is about a bound value, as a server from PostgreSQL 14 on does:
    /// `unnamed portal parameter $1 = '…'`, in the server's own language. The binding is the outermost, and so the last
    /// line; where a statement runs there is none, or `PL/pgSQL function f(text) line 1`, or, where the server is
    /// asked to log them, `unnamed portal with parameters: $1 = '…'`.
    ///
    /// - Parameter values: how many are bound.
    static func isOfBoundValue(context: String, values: Int) -> Bool {
        guard let line = context.split(whereSeparator: \.isNewline).last else { return false }
        let subject = line.split(separator: " = ", maxSplits: 1).first ?? line
        guard !subject.contains(where: { "(:\"«".contains($0) }) else { return false }
        // The Spanish words have the number alone.
        let marks = ["$", "parámetro "]
        for mark in marks {
            guard let range = subject.firstRange(of: mark) else { continue }
            let number = subject[range.upperBound...].prefix { ("0"..."9").contains($0) }
            if let number = Int(number), (1...max(1, values)).contains(number) { return true }
        }
        return false
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
