/// An error of a PostgreSQL query. It holds no text of the server, because those texts quote values.
public enum PostgreSQLError: Error, Equatable, Sendable {
    case couldNotConnect(ConnectFailure)
    /// The server returned an error, with its SQLSTATE (PostgreSQL manual, appendix A).
    case serverError(sqlState: String)
    /// The server could not convert a bound value to the type that the statement expects; with its SQLSTATE.
    case valueRejected(sqlState: String)
    /// The connection ended before the result.
    case lost
    /// The result took longer than the caller's time limit.
    case timedOut
    /// Another thread called ``PostgreSQLConnection/interrupt()``.
    case interrupted
    /// The received data does not follow PostgreSQL's protocol.
    case unexpectedResponse
    /// The statement returns no rows.
    case noRows
    /// The result has more rows, or more bytes, than the caller's limits.
    case tooManyRows
    /// A text is not UTF-8. A database in SQL_ASCII can return such text.
    case unreadableText

    /// A Boolean value that indicates whether the connection was lost before the query was executed, so that a
    /// retry elsewhere may help.
    public var isConnectionLoss: Bool {
        switch self {
        case .lost: true
        // admin_shutdown, crash_shutdown, cannot_connect_now, idle_session_timeout, and connection exceptions.
        case .serverError(let state): ["57P01", "57P02", "57P03", "57P05"].contains(state) || state.hasPrefix("08")
        default: false
        }
    }

    /// A Boolean value that indicates whether a bound value is the cause: not a number, not a date, not a pattern,
    /// or with a character that the database's encoding does not contain.
    public var isValueError: Bool {
        switch self {
        case .valueRejected: true
        // The server reports invalid_escape_sequence and invalid_regular_expression where the pattern is used, and
        // character_not_in_repertoire and untranslatable_character for the data that was sent.
        case .serverError(let state): ["22025", "2201B", "22021", "22P05"].contains(state)
        default: false
        }
    }

    /// A Boolean value that indicates whether the data of one query, bound or stored, are the cause (SQLSTATE class
    /// 22, data exception).
    public var isDataError: Bool {
        switch self {
        case .valueRejected, .unreadableText: true
        case .serverError(let state): state.hasPrefix("22")
        default: false
        }
    }

    /// Returns a Boolean value that indicates whether the context of an error names a bound value.
    ///
    /// A server from PostgreSQL 14 on reports `unnamed portal parameter $1 = '…'`, in the server's own language.
    /// The binding is the outermost context, and therefore the last line. For an error while a statement runs, the
    /// last line is absent, or `PL/pgSQL function f(text) line 1`, or, where the server is configured to log
    /// parameters, `unnamed portal with parameters: $1 = '…'`.
    ///
    /// - Parameter values: the number of bound values.
    static func isBoundValueError(context: String, values: Int) -> Bool {
        guard let line = context.split(whereSeparator: \.isNewline).last else { return false }
        let subject = line.split(separator: " = ", maxSplits: 1).first ?? line
        guard !subject.contains(where: { "(:\"«".contains($0) }) else { return false }
        // The Spanish message contains only the number.
        let prefixes = ["$", "parámetro "]
        for marker in prefixes {
            guard let range = subject.firstRange(of: marker) else { continue }
            let number = subject[range.upperBound...].prefix { ("0"..."9").contains($0) }
            if let number = Int(number), (1...max(1, values)).contains(number) { return true }
        }
        return false
    }
}

/// An error that describes why no server accepted a connection.
public enum ConnectFailure: Error, Equatable, Sendable {
    /// The server rejected the account's name, password or certificate, or pg_hba.conf does not allow it (SQLSTATE
    /// class 28).
    case authentication
    /// The server does not offer the requested TLS, or its certificate is not trusted.
    case tls
    /// A server responds, but does not match `target_session_attrs`.
    case unsuitableServer
    /// The server returned an error while connecting, with its SQLSTATE.
    case serverError(sqlState: String)
    /// The program at that address does not speak PostgreSQL's protocol, or closes the connection.
    case unexpectedResponse
    case timedOut
    case nameNotFound
    /// No server listens at that address.
    case unreachable

    /// The rank by which the most specific failure of several hosts is reported. The lowest rank is the most
    /// specific.
    var rank: Int {
        switch self {
        case .authentication: 0
        case .tls: 1
        case .unsuitableServer: 2
        case .serverError: 3
        case .unexpectedResponse: 4
        case .timedOut: 5
        case .nameNotFound: 6
        case .unreachable: 7
        }
    }

    /// Classifies the message of libpq, which is configured to include only the SQLSTATE from the server
    /// (PQERRORS_SQLSTATE).
    init(message: String) {
        let lines = message.split(whereSeparator: \.isNewline)
        if let state = lines.compactMap(Self.sqlState).last {
            self = state.hasPrefix("28") ? .authentication : .serverError(sqlState: state)
            return
        }
        func mentions(_ phrases: String...) -> Bool { phrases.contains { message.contains($0) } }
        self =
            if mentions("invalid response", "expected authentication") {
                .unexpectedResponse
            } else if mentions("password authentication", "no password supplied") {
                .authentication
            } else if mentions("session is", "hot standby mode", "read-write", "read-only") {
                .unsuitableServer
            } else if mentions("SSL", "certificate", "TLS") {
                .tls
            } else if mentions("translate host name") {
                .nameNotFound
            } else if mentions("timeout expired", "timed out") {
                .timedOut
            } else if mentions("closed the connection", "could not receive") {
                .unexpectedResponse
            } else {
                .unreachable
            }
    }

    /// Returns the SQLSTATE at the end of a line such as `… failed: FATAL:  28P01`.
    private static func sqlState(in line: Substring) -> String? {
        let code = line.reversed().prefix { $0.isASCII && ($0.isNumber || $0.isUppercase) }
        let state = String(code.reversed())
        guard state.count == 5, state.contains(where: \.isNumber), line.dropLast(5).hasSuffix(":  ") else { return nil }
        return state
    }
}
