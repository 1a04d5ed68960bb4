import Crypto
import Foundation
import Settings
import Transfers

/// The source of a feed, with its optional checksum file.
struct FeedSource: Sendable {
    enum Algorithm: String, Sendable, CaseIterable {
        case sha256, sha512, sha1, md5
    }

    struct Checksum: Sendable {
        let request: TransferRequest
        let algorithm: Algorithm
    }

    let request: TransferRequest
    /// The digest of the address and of the user name, because on some servers each user finds different files at
    /// the same address.
    let digest: String
    let checksum: Checksum?
    /// A Boolean value that indicates whether requests to the source are conditional.
    let isConditional: Bool

    /// Reads `source` and `checksum`.
    init(_ settings: SettingsSection, sizeLimit: Int) throws(SettingsError) {
        let section = try settings.requiredSection("source", expected: "the source of the feed, with its `url`")
        isConditional = try section.boolean("conditional", default: true)
        let timeouts = TransferRequest.Timeouts(
            connect: try section.duration("connect_timeout", default: 15, in: 1...300),
            stall: try section.duration("stall_timeout", default: 30, in: 1...3600),
            total: try section.duration("timeout", default: 1800, in: 1...86_400))
        guard let url = try section.address("url") else {
            throw section.error(
                "url", expected: "missing; expected an address such as sftp://files.example.com/readers")
        }
        let login = try Self.login(section)
        var request = try Self.request(url, login, timeouts, sizeLimit, at: "url", of: section)
        try Self.check(request, section)
        request.hostKey = try Self.hostKey(section, request)
        request.authorities = try section.filePath("ca")
        if let authorities = request.authorities, !FileManager.default.isReadableFile(atPath: authorities) {
            throw section.error("ca", expected: "expected a readable file of certificates")
        }
        try section.finish()
        self.request = request
        digest = Self.digest(url, login)

        guard settings.has("checksum") else {
            checksum = nil
            return
        }
        let sum = try settings.section("checksum")
        let algorithm: Algorithm = try sum.choice("algorithm", default: .sha256)
        let place: String
        if let own = try sum.address("url") {
            place = own
        } else {
            place =
                url + (try sum.requiredString("suffix", expected: "`url`, or a `suffix` of the URL such as .sha256"))
        }
        try sum.finish()
        var copy = try Self.request(place, login, timeouts, 64 << 10, at: "url", of: sum)
        // Only the server of the feed receives the login.
        if copy.server != request.server { copy.login = .none }
        copy.hostKey = request.hostKey
        copy.authorities = request.authorities
        try Self.requireHostKey(copy, sum)
        checksum = Checksum(request: copy, algorithm: algorithm)
    }

    private static func digest(_ url: String, _ login: TransferRequest.Login) -> String {
        let user =
            switch login {
            case .none, .bearer: ""
            case .password(let user, _), .key(let user, _, _): user
            }
        return SHA256.hash(data: Data("\(url.utf8.count):\(url)\(user)".utf8)).prefix(16)
            .map { String($0, radix: 16) }.joined(separator: ".")
    }

    private static func request(
        _ url: String, _ login: TransferRequest.Login, _ timeouts: TransferRequest.Timeouts, _ limit: Int,
        at key: String,
        of section: SettingsSection
    ) throws(SettingsError) -> TransferRequest {
        do {
            return try TransferRequest(url: url, login: login, timeouts: timeouts, sizeLimit: limit)
        } catch {
            throw section.error(key, expected: error.description)
        }
    }

    private static func login(_ section: SettingsSection) throws(SettingsError) -> TransferRequest.Login {
        if let token = try section.externalSecret("bearer") { return .bearer(token) }
        guard let user = try section.string("user") else { return .none }
        if let key = try section.filePath("key") {
            guard FileManager.default.isReadableFile(atPath: key) else {
                throw section.error("key", expected: "expected a readable private key")
            }
            return .key(user: user, key: key, passphrase: try section.externalSecret("passphrase"))
        }
        guard let password = try section.externalSecret("password") else {
            throw section.error("user", expected: "expected a `password` or, for sftp, a `key` with it")
        }
        return .password(user: user, password: password)
    }

    private static func check(_ request: TransferRequest, _ section: SettingsSection) throws(SettingsError) {
        switch (request.login, request.scheme) {
        case (.bearer, .http), (.bearer, .https), (.key, .sftp), (.none, .http), (.none, .https), (.none, .file),
            (.none, .ftp), (.none, .ftps), (.none, .ftpTLS):
            return
        case (.none, _):
            throw section.error("url", expected: "expected a `user` with an address of \(request.scheme.rawValue)")
        case (.bearer, _): throw section.error("bearer", expected: "is for http and https only")
        case (.key, _): throw section.error("key", expected: "is for sftp only")
        case (.password, .file): throw section.error("user", expected: "files are read as the user Gatefold runs as")
        case (.password, _): return
        }
    }

    private static func hostKey(
        _ section: SettingsSection, _ request: TransferRequest
    ) throws(SettingsError) -> TransferRequest.HostKey? {
        if let path = try section.filePath("known_hosts") {
            guard FileManager.default.isReadableFile(atPath: path) else {
                throw section.error("known_hosts", expected: "expected a readable file")
            }
            return .knownHosts(path)
        }
        if let text = try section.string("fingerprint") {
            let digest = text.hasPrefix("SHA256:") ? text.dropFirst(7) : text[...]
            guard digest.utf8.count == 43 || digest.utf8.count == 44 else {
                throw section.error(
                    "fingerprint", expected: "expected SHA256: and 43 characters, as ssh-keygen -l prints")
            }
            return .fingerprint(String(digest))
        }
        try requireHostKey(request, section)
        return nil
    }

    private static func requireHostKey(
        _ request: TransferRequest, _ section: SettingsSection
    ) throws(SettingsError) {
        guard request.scheme != .sftp || request.hostKey != nil else {
            throw section.error("url", expected: "expected `known_hosts` or the host key's `fingerprint` with sftp")
        }
    }
}

extension SettingsSection {
    /// Returns an address, written as text or, when it contains a secret, as `{file: PATH}` or `{env: NAME}`.
    fileprivate func address(_ name: String) throws(SettingsError) -> String? {
        guard has(name) else { return nil }
        if let text = try? string(name) { return text }
        return try externalSecret(name)
    }
}
