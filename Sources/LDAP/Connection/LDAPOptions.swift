/// The options of a connection to a directory.
public struct LDAPOptions: Sendable, Equatable {
    /// A Boolean value that indicates whether StartTLS secures a plain connection before anything else is sent.
    /// Default: true.
    public var startsTLS = true
    public var tls = TLS()
    /// The time limit for the connection, and again for the TLS handshake. Default: 5 s.
    public var connectTimeout: Duration = .seconds(5)
    /// The time limit for each response. Default: 10 s.
    public var timeout: Duration = .seconds(10)

    public struct TLS: Sendable, Equatable {
        /// The path of the trusted certificates, in PEM. The trust settings of /etc/ldap/ldap.conf are never used.
        public var authorityFile = "/etc/ssl/certs/ca-certificates.crt"
        /// The path of the client certificate, in PEM. `keyFile` is the path of its key.
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
