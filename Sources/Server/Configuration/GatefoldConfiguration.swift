public import Backends
import ContentGate
public import Foundation
import FrontDoors
public import Gatefold
package import Mail
public import Settings
import State

/// Everything `gatefold serve` needs to know, checked.
public struct GatefoldConfiguration: Sendable {
    public var listen: ListenAddress
    /// Health and metrics; nil for none.
    public var adminListen: ListenAddress?
    public var tls: TLSFiles?
    /// Whose word about the client's address, and whose auth requests, are believed. Empty unless said.
    public var trustedProxies: [AddressBlock]
    /// Where apps reach this server, for answers that send them on; without a slash at its end.
    public var publicURL: String?
    /// How long requests in flight may take to finish at shutdown, in seconds.
    public var shutdownGrace: TimeInterval
    public var limits: ListenerLimits
    public var log: LogConfiguration
    public var state: StateConfiguration
    public var guessing: GuessLimits
    public var passwords: PasswordConfiguration
    /// Nil where no letters are sent.
    package var mail: MailSettings?
    /// Nil where apps are told nothing.
    package var notices: NoticeSettings?
    public var backends: [BackendConfiguration]
    public var stores: [StoreConfiguration]
    public var publications: [PublicationConfiguration]
    private let top: SettingsSection

    /// Settings that can be used and hardly should be; those of backends are known once ``Assembly`` has read them.
    public var warnings: [SettingsWarning] { top.warnings }

    /// The PEM files of the listener.
    public struct TLSFiles: Sendable, Equatable {
        public let certificate: String
        public let key: String
    }

    public struct StateConfiguration: Sendable {
        public let path: String
        public let references: ReferenceKey
        /// So many new push tokens of one app are taken in within an hour.
        public let pushTokensPerHour: Int
        /// So many sessions of one subscriber are opened within an hour.
        public let sessionsPerHour: Int
    }

    /// - Parameters:
    ///   - path: the configuration file.
    ///   - environment: overrides, and secrets given as `{env: NAME}`.
    /// - Throws: ``SettingsError``, one line saying where, which key and what was expected.
    public static func read(
        path: String, environment: [String: String]
    ) throws(SettingsError) -> GatefoldConfiguration {
        try GatefoldConfiguration(try YAMLSettings.read(path: path, environment: environment))
    }

    public init(_ top: SettingsSection) throws(SettingsError) {
        self.top = top
        let server = try top.section("server")
        listen = try server.address("listen") ?? ListenAddress(host: "127.0.0.1", port: 8080)
        adminListen = try server.address("admin_listen")
        tls = try Self.tls(server)
        trustedProxies = try server.addressBlocks("trusted_proxies")
        publicURL = try PublicURL.read(server)
        shutdownGrace = try server.duration("shutdown_grace", default: 30, in: 1...3600)
        limits = try ListenerLimits(try server.section("limits"))
        try server.finish()

        log = try LogConfiguration(try top.section("log"))
        state = try Self.state(try top.section("state"))
        guessing = try GuessLimits(try top.section("guessing"))

        passwords = try PasswordConfiguration(try top.section("passwords"))
        mail = top.has("mail") ? try MailSettings(try top.section("mail")) : nil
        notices = top.has("notifications") ? try NoticeSettings(try top.section("notifications")) : nil

        backends = try Self.backends(try top.requiredSection("backends", expected: "at least one backend by its name"))
        stores = try StoreConfiguration.read(try top.section("stores"))
        let section = try top.requiredSection("publications", expected: "at least one publication by its name")
        publications = []
        for name in section.names {
            publications.append(
                try PublicationConfiguration(name: name, in: section, backends: backends, stores: stores))
        }
        try Self.checkTogether(publications, section)
        try checkStorefronts(section)
        try checkInPlayer(section)
        try checkPaths(section)
        try top.finish()
    }

    /// Where catalogues are remembered over a restart: beside the state database.
    package var catalogueFolder: String {
        URL(fileURLWithPath: state.path).deletingLastPathComponent().appending(path: "catalogues").path
    }

    private static func tls(_ server: SettingsSection) throws(SettingsError) -> TLSFiles? {
        guard server.has("tls") else { return nil }
        let section = try server.section("tls")
        guard let certificate = try section.filePath("certificate"), let key = try section.filePath("key") else {
            throw server.error("tls", expected: "expected the paths `certificate` and `key` of PEM files")
        }
        try section.finish()
        return TLSFiles(certificate: certificate, key: key)
    }

    private static func state(
        _ section: SettingsSection
    ) throws(SettingsError) -> StateConfiguration {
        guard let path = try section.filePath("path") else {
            throw section.error("path", expected: "missing; expected the path of the state database")
        }
        guard let secret = try section.secret("reference_secret") else {
            throw section.error("reference_secret", expected: "missing; expected {file: PATH} or {env: NAME}")
        }
        let pushTokens = try section.integer(
            "push_tokens_per_hour", default: SQLiteStateStore.standardPushTokensPerHour, in: 1...10_000_000)
        let sessions = try section.integer(
            "sessions_per_hour", default: SessionLimiter.standardPerHour, in: 10...10_000_000)
        try section.finish()
        return StateConfiguration(
            path: path, references: ReferenceKey(secret), pushTokensPerHour: pushTokens, sessionsPerHour: sessions)
    }

    private static func backends(_ section: SettingsSection) throws(SettingsError) -> [BackendConfiguration] {
        var backends: [BackendConfiguration] = []
        for name in section.names {
            backends.append(BackendConfiguration(name: name, settings: try section.section(name).withPreset()))
        }
        return backends
    }

    /// What the front doors that apps find by their own names need of the rest.
    private func checkStorefronts(_ section: SettingsSection) throws(SettingsError) {
        for publication in publications {
            guard publication.storefront != nil else { continue }
            let id = publication.publication.id
            guard publicURL != nil else {
                throw section.error(
                    id.rawValue, expected: "needs `server.public_url` for the downloads of Baker and Basispress apps")
            }
        }
    }

    /// What the front door for InPlayer's apps needs of the rest.
    private func checkInPlayer(_ section: SettingsSection) throws(SettingsError) {
        var seen: [String: PublicationID] = [:]
        for publication in publications {
            guard let settings = publication.inPlayer?.settings else { continue }
            let id = publication.publication.id
            if publication.content != nil, publicURL == nil {
                throw section.error(
                    id.rawValue, expected: "needs `server.public_url` for the links to editions that `inplayer` answers"
                )
            }
            for name in settings.clients.union([settings.merchant]).sorted() {
                if let other = seen.updateValue(id, forKey: name) {
                    throw section.error(
                        id.rawValue,
                        expected: "names the InPlayer merchant or client `\(name)`, as \(other) does; "
                            + "apps find one publication by it")
                }
            }
        }
    }

    /// What no publication can know of the others.
    private static func checkTogether(
        _ publications: [PublicationConfiguration], _ section: SettingsSection
    ) throws(SettingsError) {
        guard !publications.isEmpty else {
            throw SettingsError(
                origin: section.origin, key: "publications", expected: "expected at least one publication")
        }
        var seen: [PublicationConfiguration] = []
        for publication in publications {
            let id = publication.publication.id
            for other in seen {
                if publication.isDefault && other.isDefault {
                    throw section.error(
                        id.rawValue,
                        expected: "`default` is already said of \(other.publication.id); expected one at most")
                }
                if let app = publication.apps.first(where: { other.apps.contains($0) }) {
                    throw section.error(
                        id.rawValue,
                        expected: "names the app `\(app)`, as \(other.publication.id) does; an app has one publication")
                }
                if publication.sharesSecret(with: other) {
                    throw section.error(
                        id.rawValue,
                        expected: "shares a secret with \(other.publication.id); each publication needs its own")
                }
                if publication.content?.prefix == other.content?.prefix, publication.content != nil {
                    throw section.error(
                        id.rawValue, expected: "has the same content.prefix as \(other.publication.id)")
                }
            }
            let first = publication.content?.firstSegment
            if let called = publications.first(where: { $0.publication.id.rawValue == first })?.publication.id {
                throw section.error(
                    id.rawValue,
                    expected: "has a content.prefix that begins with /\(called), as the calls of its apps do")
            }
            seen.append(publication)
        }
    }
}

/// How passwords are hashed and checked.
public struct PasswordConfiguration: Sendable {
    /// Threads that check passwords: the cap on what signing in may cost (PITFALLS row 19).
    public let workers: Int
    /// Of new hashes, as crypt_gensalt(3) counts for yescrypt.
    public let cost: Int
    /// The secret of the fast hashes that very large imports may use; nil where none are.
    public let pepper: Secret?

    init(_ section: SettingsSection) throws(SettingsError) {
        workers = try section.integer("workers", default: 2, in: 1...64)
        cost = try section.integer("cost", default: PasswordHasher.defaultCost, in: PasswordHasher.costs)
        pepper = try section.secret("pepper")
        try section.finish()
    }

    public func hasher() throws(PasswordError) -> PasswordHasher {
        try PasswordHasher(cost: cost, pepper: pepper)
    }
}

/// A backend as the configuration names it; what its other settings mean is its kind's own business.
public struct BackendConfiguration: Sendable {
    public let name: String
    public let settings: SettingsSection
}

extension SettingsSection {
    func address(_ name: String) throws(SettingsError) -> ListenAddress? {
        guard let text = try string(name) else { return nil }
        guard let address = ListenAddress(text) else {
            throw error(name, expected: "expected an address such as 127.0.0.1:8080")
        }
        return address
    }

    func addressBlocks(_ name: String) throws(SettingsError) -> [AddressBlock] {
        var blocks: [AddressBlock] = []
        for text in try strings(name) ?? [] {
            guard let block = AddressBlock(text) else {
                throw error(name, expected: "expected addresses or blocks such as 10.0.0.0/8, not `\(text)`")
            }
            blocks.append(block)
        }
        return blocks
    }
}
