public import Foundation

/// An SMTP server that takes mail, and how it is spoken to.
public struct MailServer: Sendable {
    public enum Security: Sendable, Equatable {
        /// TLS from the first byte (RFC 8314): `smtps`.
        case implicit
        /// STARTTLS before anything else is said (RFC 3207); a server without it is refused.
        case upgraded
        /// For servers on the same machine.
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
    /// A file of certificates in PEM that are trusted in place of the system's.
    public var authorities: String?
    /// Until the server can be spoken to, in seconds.
    public var connectTimeout: TimeInterval = 15
    /// For a whole letter, in seconds.
    public var timeout: TimeInterval = 60

    /// - Parameter url: such as `smtp://mail.example.com:587`, without a user or a path. Without a port, 587 is meant
    ///   for `smtp` (RFC 6409) and 465 for `smtps` (RFC 8314). `smtp` is ``Security/upgraded``, on this machine itself
    ///   ``Security/none``.
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

    /// Whether it is on this machine, so that nobody on the way can listen.
    public var isLocal: Bool {
        host == "localhost" || host == "[::1]" || host.wholeMatch(of: /127(?:\.[0-9]{1,3}){3}/) != nil
    }

    /// As libcurl reads it.
    var location: String { "\(security == .implicit ? "smtps" : "smtp")://\(host):\(port)" }
}

/// A text that is no address of an SMTP server.
public struct MailServerAddressError: Error, Sendable, Equatable, CustomStringConvertible {
    public var description: String {
        "expected an address such as smtp://mail.example.com:587 or smtps://mail.example.com, without a user or a path"
    }
}
