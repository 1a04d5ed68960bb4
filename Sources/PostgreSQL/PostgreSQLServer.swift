/// Where a database is, and how to connect to it.
public struct PostgreSQLServer: Sendable {
    /// A server's address.
    public struct Host: Sendable, Equatable {
        /// A name, an address, or the folder of a Unix socket.
        public var name: String
        public var port: Int

        public init(name: String, port: Int) {
            self.name = name
            self.port = port
        }
    }

    /// Which of several servers will do (libpq's `target_session_attrs`).
    public enum Session: String, Sendable, CaseIterable {
        case any
        case readWrite = "read-write"
        case readOnly = "read-only"
        case primary
        case standby
        /// A standby, or any other where there is none.
        case preferStandby = "prefer-standby"
    }

    /// Tried in order.
    public var hosts: [Host]
    public var session: Session
    /// For each host, from the first packet to the server's readiness. Looking up its name comes before: libpq leaves that
    /// to the resolver, whose time limit is its own and can not be interrupted.
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

    /// The attempts in their order.
    ///
    /// libpq would try the hosts by itself, but without a timeout for each where it is asked not to block.
    var attempts: [(host: Host, session: Session)] {
        let sessions: [Session] = session == .preferStandby ? [.standby, .any] : [session]
        return sessions.flatMap { session in hosts.map { ($0, session) } }
    }

    /// What is not named is not taken from anywhere else: no password file, no Kerberos, and of the environment
    /// (``ForeignEnvironment``) nothing but `PGPASSWORD`.
    func keywords(_ host: Host, _ session: Session) -> [(String, String)] {
        var all = ["passfile": "/dev/null", "gssencmode": "disable", "client_encoding": "UTF8"]
        all.merge(parameters) { $1 }
        all["host"] = host.name
        all["port"] = String(host.port)
        all["target_session_attrs"] = session.rawValue
        return all.sorted { $0.key < $1.key }
    }
}
