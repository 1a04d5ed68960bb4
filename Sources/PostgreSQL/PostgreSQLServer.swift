/// The location of a database, and the parameters of the connection.
public struct PostgreSQLServer: Sendable {
    /// A server's address.
    public struct Host: Sendable, Equatable {
        /// A name, an address, or the directory of a Unix socket.
        public var name: String
        public var port: Int

        public init(name: String, port: Int) {
            self.name = name
            self.port = port
        }
    }

    /// The kind of server to accept (libpq's `target_session_attrs`).
    public enum Session: String, Sendable, CaseIterable {
        case any
        case readWrite = "read-write"
        case readOnly = "read-only"
        case primary
        case standby
        /// A standby, or any other server when there is no standby.
        case preferStandby = "prefer-standby"
    }

    /// The hosts, tried in order.
    public var hosts: [Host]
    public var session: Session
    /// The time limit for each host, from the first packet until the server is ready. The name resolution before is
    /// excluded: libpq leaves it to the resolver, which has its own time limit and cannot be interrupted.
    public var connectTimeout: Duration
    /// Further parameters of libpq's `PQconnectStartParams`, such as `dbname`, `user`, `password` and `sslmode`.
    public var parameters: [String: String]

    public init(
        hosts: [Host], session: Session = .any, connectTimeout: Duration, parameters: [String: String]
    ) {
        self.hosts = hosts
        self.session = session
        self.connectTimeout = connectTimeout
        self.parameters = parameters
    }

    /// The connection attempts in their order.
    ///
    /// libpq can also try several hosts, but in non-blocking mode it has no timeout for each host.
    var attempts: [(host: Host, session: Session)] {
        let sessions: [Session] = session == .preferStandby ? [.standby, .any] : [session]
        return sessions.flatMap { session in hosts.map { ($0, session) } }
    }

    /// Returns the parameters of one attempt. Parameters that are not configured are not read from elsewhere: there
    /// is no password file and no Kerberos, and the only variable of the environment that is used is `PGPASSWORD`
    /// (see ``LibPQEnvironment``).
    func keywords(_ host: Host, _ session: Session) -> [(String, String)] {
        var all = ["passfile": "/dev/null", "gssencmode": "disable", "client_encoding": "UTF8"]
        all.merge(parameters) { $1 }
        all["host"] = host.name
        all["port"] = String(host.port)
        all["target_session_attrs"] = session.rawValue
        return all.sorted { $0.key < $1.key }
    }
}
