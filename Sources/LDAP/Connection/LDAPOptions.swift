/// How a connection to a directory is made and used.
public struct LDAPOptions: Sendable, Equatable {
    /// Whether a plain connection is turned into a protected one before anything else is sent.
    public var startsTLS = true
    public var tls = TLS()
    /// For the connection, and again for the handshake of TLS.
    public var connectTimeout: Duration = .seconds(5)
    /// For each answer.
    public var timeout: Duration = .seconds(10)

    public struct TLS: Sendable, Equatable {
        /// The certificates that are trusted, in PEM. What /etc/ldap/ldap.conf says of trust is never asked.
        public var authorityFile = "/etc/ssl/certs/ca-certificates.crt"
        /// Our own certificate and its key, in PEM.
        public var certificateFile: String?
        public var keyFile: String?

        public init() {}
    }

    public init() {}
}

extension Duration {
    var milliseconds: Int32 {
        let (seconds, attoseconds) = components
        return Int32(clamping: seconds * 1000 + attoseconds / 1_000_000_000_000_000)
    }
}
