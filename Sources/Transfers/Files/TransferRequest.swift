public import Foundation

/// A request for one remote file.
public struct TransferRequest: Sendable {
    /// The supported protocols. libcurl is restricted to them.
    public enum Scheme: String, Sendable, CaseIterable {
        case file, http, https, ftp, sftp
        /// FTP inside TLS from the first byte.
        case ftps
        /// FTP that requests TLS before it sends the user name, and also for the data (RFC 4217). A response
        /// without TLS is rejected.
        case ftpTLS = "ftp+tls"
    }

    public enum Login: Sendable {
        case none
        case password(user: String, password: String)
        /// A key file, for SFTP only.
        ///
        /// - Parameters:
        ///   - key: the path of the private key.
        ///   - passphrase: the key's passphrase, or nil when it has none.
        case key(user: String, key: String, passphrase: String?)
        /// A token in `Authorization: Bearer`, for HTTP only.
        case bearer(String)
    }

    /// The expected host key of an SFTP server.
    public enum HostKey: Sendable {
        /// The path of a file in the format of OpenSSH's `known_hosts`.
        case knownHosts(String)
        /// The SHA-256 of the key in Base64, as `ssh-keygen -l` prints it after `SHA256:`.
        case fingerprint(String)
    }

    /// The time limits of a transfer, in seconds.
    public struct Timeouts: Sendable {
        /// The time limit for the connection, and for each reply of the server. Default: 15 s.
        public var connect: TimeInterval
        /// The maximum time without a received byte. Default: 30 s.
        public var stall: TimeInterval
        /// The time limit for the whole transfer. Default: 30 min.
        public var total: TimeInterval

        public init(connect: TimeInterval = 15, stall: TimeInterval = 30, total: TimeInterval = 1800) {
            self.connect = connect
            self.stall = stall
            self.total = total
        }
    }

    public let scheme: Scheme
    /// The URL in the format of libcurl.
    let location: String
    public var login: Login
    public var hostKey: HostKey?
    /// The path of trusted certificates in PEM that replace the system's.
    public var authorities: String?
    public var timeouts: Timeouts
    /// The maximum size of the file, in bytes. Default: 2 GiB.
    public var sizeLimit: Int
    /// The validator of the known file. The server sends the file only if it has changed since.
    public var known: Validator?

    /// - Parameters:
    ///   - url: an address without a user or a password.
    ///   - login: The login at the server. Default: none.
    ///   - timeouts: The timeouts of the transfer.
    ///   - sizeLimit: The maximum size of the file in bytes. Default: 2 GiB.
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

    /// The scheme, host and port, as configured. A login is valid only for one server.
    public var server: String {
        let rest =
            location.split(separator: "/", maxSplits: 3, omittingEmptySubsequences: false).dropFirst(2).first ?? ""
        return "\(scheme.rawValue)://\(rest.prefix { !"?#".contains($0) }.lowercased())"
    }

    /// The path of a `file` address, or nil for the other schemes.
    public var path: String? {
        guard scheme == .file else { return nil }
        let raw = location.dropFirst("file://".count)
        return raw.removingPercentEncoding ?? String(raw)
    }
}

/// The metadata of a file by which a server can detect that the file has changed since.
public struct Validator: Sendable, Equatable, Codable {
    /// The entity tag, for HTTP.
    public var entityTag: String?
    /// The modification time, in seconds since 1970.
    public var modified: Int64?

    public init(entityTag: String? = nil, modified: Int64? = nil) {
        self.entityTag = entityTag
        self.modified = modified
    }
}

/// An error that describes why a text is not the address of a file.
public enum TransferAddressError: Error, Sendable, Equatable, CustomStringConvertible {
    case noAddress, scheme, namesUser

    public var description: String {
        switch self {
        case .noAddress: "expected an address such as sftp://files.example.com/out/readers.csv"
        case .scheme:
            "expected an address with one of "
                + TransferRequest.Scheme.allCases.map { "\($0.rawValue)://" }.joined(separator: ", ")
        case .namesUser: "expected an address without a user or a password; they are separate settings"
        }
    }
}
