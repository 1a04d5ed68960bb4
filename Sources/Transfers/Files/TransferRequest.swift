public import Foundation

/// One file to be had from elsewhere, and how.
public struct TransferRequest: Sendable {
    /// The ways there are to get a file; libcurl is held to these and to no others.
    public enum Scheme: String, Sendable, CaseIterable {
        case file, http, https, ftp, sftp
        /// FTP inside TLS from the first byte.
        case ftps
        /// FTP that asks for TLS before it says who it is (RFC 4217), for the data, too; an answer without TLS is refused.
        case ftpTLS = "ftp+tls"
    }

    public enum Login: Sendable {
        case none
        case password(user: String, password: String)
        /// SFTP only.
        ///
        /// - Parameters:
        ///   - key: the path of the private key.
        ///   - passphrase: of the key; nil when it has none.
        case key(user: String, key: String, passphrase: String?)
        /// HTTP only: `Authorization: Bearer`.
        case bearer(String)
    }

    /// How an SFTP server proves who it is.
    public enum HostKey: Sendable {
        /// The path of a file in the format of OpenSSH's `known_hosts`.
        case knownHosts(String)
        /// The SHA-256 of the key in Base64, as `ssh-keygen -l` prints it behind `SHA256:`.
        case fingerprint(String)
    }

    /// In seconds.
    public struct Timeouts: Sendable {
        /// Until the server can be spoken to, and for each of its replies.
        public var connect: TimeInterval
        /// For so long not a single byte may come.
        public var stall: TimeInterval
        /// For the whole transfer.
        public var total: TimeInterval

        public init(connect: TimeInterval = 15, stall: TimeInterval = 30, total: TimeInterval = 1800) {
            self.connect = connect
            self.stall = stall
            self.total = total
        }
    }

    public let scheme: Scheme
    /// As libcurl reads it.
    let location: String
    public var login: Login
    public var hostKey: HostKey?
    /// A file of certificates in PEM that are trusted in place of the system's.
    public var authorities: String?
    public var timeouts: Timeouts
    /// The most bytes of the file.
    public var sizeLimit: Int
    /// Only what is not this one any more is asked for.
    public var known: Validator?

    /// - Parameter url: without a user or password in it.
    /// - Throws: ``TransferAddressError``.
    public init(
        url: String, login: Login = .none, timeouts: Timeouts = Timeouts(), sizeLimit: Int = 1 << 31
    ) throws(TransferAddressError) {
        guard let end = url.firstRange(of: "://") else { throw .noAddress }
        guard let scheme = Scheme(rawValue: url[..<end.lowerBound].lowercased()) else { throw .scheme }
        guard !url.unicodeScalars.contains(where: { $0.value <= 0x20 || $0.value == 0x7F }) else { throw .noAddress }
        let rest = url[end.upperBound...]
        let host = rest.prefix { !"/?#".contains($0) }
        guard !host.contains("@") else { throw .namesUser }
        guard scheme == .file ? rest.hasPrefix("/") : !host.isEmpty else { throw .noAddress }
        self.scheme = scheme
        location = "\(scheme == .ftpTLS ? "ftp" : scheme.rawValue)://\(rest)"
        self.login = login
        self.timeouts = timeouts
        self.sizeLimit = sizeLimit
    }

    /// Scheme, host and port, as they were written: a login is for one of these and for no other.
    public var server: String {
        let rest =
            location.split(separator: "/", maxSplits: 3, omittingEmptySubsequences: false).dropFirst(2).first ?? ""
        return "\(scheme.rawValue)://\(rest.prefix { !"?#".contains($0) }.lowercased())"
    }

    /// The path that a `file` address means; nil for the other schemes.
    public var path: String? {
        guard scheme == .file else { return nil }
        let raw = location.dropFirst("file://".count)
        return raw.removingPercentEncoding ?? String(raw)
    }
}

/// What a server said of a file, by which it can tell whether the file is another one since.
public struct Validator: Sendable, Equatable, Codable {
    /// Of HTTP.
    public var entityTag: String?
    /// In seconds since 1970.
    public var modified: Int64?

    public init(entityTag: String? = nil, modified: Int64? = nil) {
        self.entityTag = entityTag
        self.modified = modified
    }
}

/// Why a text is no address of a file.
public enum TransferAddressError: Error, Sendable, Equatable, CustomStringConvertible {
    case noAddress, scheme, namesUser

    public var description: String {
        switch self {
        case .noAddress: "expected an address such as sftp://files.example.com/out/readers.csv"
        case .scheme:
            "expected an address with one of "
                + TransferRequest.Scheme.allCases.map { "\($0.rawValue)://" }.joined(separator: ", ")
        case .namesUser: "expected an address without a user or a password; they are settings of their own"
        }
    }
}
