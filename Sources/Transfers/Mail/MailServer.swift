public import Foundation

/// An SMTP server that accepts mail, and the settings of the connection to it.
public struct MailServer: Sendable {
    public enum Security: Sendable, Equatable {
        /// TLS from the first byte (RFC 8314): `smtps`.
        case implicit
        /// STARTTLS before any other command (RFC 3207). A server without it is rejected.
        case upgraded
        /// No TLS, for servers on the same machine.
        case none
    }

    public struct Login: Sendable {
        public var user: String
        public var password: String

        public init(user: String, password: String) {
            self.user = user
            self.password = password
        }
    }

    public let host: String
    public let port: Int
    public var security: Security
    public var login: Login?
    /// The path of trusted certificates in PEM that replace the system's.
    public var authorities: String?
    /// The time limit for the connection, in seconds. Default: 15 s.
    public var connectTimeout: TimeInterval = 15
    /// The time limit for a whole message, in seconds. Default: 60 s.
    public var timeout: TimeInterval = 60

    /// - Parameter url: such as `smtp://mail.example.com:587`, without a user or a path. The default port is 587
    ///   for `smtp` (RFC 6409) and 465 for `smtps` (RFC 8314). `smtp` means ``Security/upgraded``, or
    ///   ``Security/none`` for a server on this machine.
    /// - Throws: ``MailServerAddressError``.
    public init(url: String) throws(MailServerAddressError) {
        guard let match = url.wholeMatch(of: /(smtps?):\/\/(\[[0-9A-Fa-f:.]+\]|[A-Za-z0-9.\-]+)(?::([0-9]{1,5}))?\/?/)
        else { throw MailServerAddressError() }
        let port = match.3.map { Int($0) ?? 0 } ?? (match.1 == "smtps" ? 465 : 587)
        guard (1...65_535).contains(port) else { throw MailServerAddressError() }
        host = String(match.2).lowercased()
        self.port = port
        security = match.1 == "smtps" ? .implicit : .upgraded
        if security == .upgraded && isLocal { security = .none }
    }

    /// A Boolean value that indicates whether the server is on this machine, so that the traffic crosses no
    /// network.
    public var isLocal: Bool {
        host == "localhost" || host == "[::1]" || host.wholeMatch(of: /127(?:\.[0-9]{1,3}){3}/) != nil
    }

    /// The URL in the format of libcurl.
    var location: String { "\(security == .implicit ? "smtps" : "smtp")://\(host):\(port)" }
}

/// An error for a text that is not the address of an SMTP server.
public struct MailServerAddressError: Error, Sendable, Equatable, CustomStringConvertible {
    public var description: String {
        "expected an address such as smtp://mail.example.com:587 or smtps://mail.example.com, without a user or a path"
    }
}
