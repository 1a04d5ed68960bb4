import ContentGate
public import Foundation
package import FrontDoors
public import Gatefold
package import Mail
import OutgoingRequests
public import PasswordHashing
public import Primitives
public import Settings

/// The checked configuration of `gatefold serve`.
public struct GatefoldConfiguration: Sendable {
    public var listen: ListenAddress
    /// The address of the admin listener: health, metrics and the admin API; nil for no such listener.
    public var adminListen: AdminListenAddress?
    /// The files of the admin listener; nil for a listener without TLS.
    public var adminTLS: TLSFiles?
    /// The PEM text of the authorities that sign the certificates of the admin listeners of other nodes; nil for those of the
    /// system.
    package var nodeAuthorities: String?
    public var tls: TLSFiles?
    /// The proxies whose reports of the client address and whose auth requests the server trusts. Default: empty.
    public var trustedProxies: [AddressBlock]
    /// The URL at which apps reach this server, for responses that redirect them. Without a final slash.
    public var publicURL: String?
    /// The time that requests in flight have to finish at shutdown, in seconds. Default: 30 s. Range: 1 s to 1 h.
    public var shutdownGrace: TimeInterval
    public var limits: ListenerLimits
    public var log: LogConfiguration
    public var state: StateConfiguration
    public var loginThrottle: LoginThrottleLimits
    public var passwords: PasswordConfiguration
    package var timeline: TimelineSettings
    /// The mail settings; nil if the server sends no e-mail messages.
    package var mail: MailSettings?
    /// The notification settings; nil if the server sends apps no notifications.
    package var notifications: NotificationBrokerSettings?
    public var backends: [BackendConfiguration]
    public var stores: [StoreConfiguration]
    public var publications: [PublicationConfiguration]
    private let top: SettingsSection

    /// The warnings about usable but doubtful settings. The warnings of backends are complete once ``Bootstrap`` has
    /// read the backends.
    public var warnings: [SettingsWarning] { top.warnings }

    /// The PEM files of the listener.
    public struct TLSFiles: Sendable, Equatable {
        public let certificate: String
        public let key: String
    }

    public struct StateConfiguration: Sendable {
        /// The database with the state.
        package let location: StateLocation
        public let pseudonymKey: PseudonymKey
        /// The maximum number of new push tokens of one app that the server accepts within an hour. Range: 1 to
        /// 10000000.
        public let pushTokensPerHour: Int
        /// The maximum number of sessions that one subscriber opens within an hour. Range: 10 to 10000000.
        public let sessionsPerHour: Int
        /// The digest of all settings of the section.
        let fingerprint: [UInt8]
    }

    /// - Parameters:
    ///   - path: The path of the configuration file.
    ///   - environment: The overrides, and the secrets that are given as `{env: NAME}`.
    /// - Throws: `SettingsError`, one line with the position, the key and the expected value.
    public static func read(
        path: String, environment: [String: String]
    ) throws(SettingsError) -> GatefoldConfiguration {
        try GatefoldConfiguration(try YAMLSettings.read(path: path, environment: environment))
    }

    public init(_ top: SettingsSection) throws(SettingsError) {
        try self.init(top, frontDoors: .standard)
    }

    /// - Parameter registry: The front doors that publications can have.
    package init(_ top: SettingsSection, frontDoors registry: FrontDoorRegistry) throws(SettingsError) {
        self.top = top
        let server = try top.section("server")
        listen = try server.address("listen") ?? ListenAddress(host: "127.0.0.1", port: 8080)
        adminListen = try server.adminAddress("admin_listen")
        var authorities: String?
        adminTLS = try Self.tls(server, "admin_tls") { (section: SettingsSection) throws(SettingsError) in
            authorities = try section.privateText("node_authorities")
            guard let pem = authorities else { return }
            var settings = OutgoingHTTPSettings()
            guard settings.trustOnly(pem) else {
                throw section.error("node_authorities", expected: "expected certificates in PEM")
            }
        }
        nodeAuthorities = authorities
        if let adminListen, !adminListen.isLocal {
            server.warn(
                "admin_listen",
                adminTLS == nil
                    ? "reachable without TLS from other machines: the admin API then responds to this machine only, and health, "
                        + "metrics and messages of nodes to everyone"
                    : "reachable from other machines: health, metrics and messages of nodes need no token there")
        }
        tls = try Self.tls(server, "tls")
        trustedProxies = try server.addressBlocks("trusted_proxies")
        publicURL = try PublicURL.read(server)
        shutdownGrace = try server.duration("shutdown_grace", default: 30, in: 1...3600)
        limits = try ListenerLimits(try server.section("limits"))
        try server.finish()

        log = try LogConfiguration(try top.section("log"))
        state = try Self.state(try top.section("state"))
        if let url = state.location.nodeURL {
            try Self.check(
                nodeURL: url, try top.section("state"), adminListen: adminListen, isEncrypted: adminTLS != nil)
        }
        loginThrottle = try LoginThrottleLimits(try top.section("login_throttle"))

        passwords = try PasswordConfiguration(try top.section("passwords"))
        timeline = try TimelineSettings(try top.section("timeline"))
        mail = top.has("mail") ? try MailSettings(try top.section("mail")) : nil
        notifications =
            top.has("notifications") ? try NotificationBrokerSettings(try top.section("notifications")) : nil

        backends = try Self.backends(try top.requiredSection("backends", expected: "at least one backend by its name"))
        stores = try StoreConfiguration.read(try top.section("stores"))
        let section = try top.requiredSection("publications", expected: "at least one publication by its name")
        publications = []
        for name in section.names {
            publications.append(
                try PublicationConfiguration(
                    name: name, in: section, backends: backends, stores: stores, registry: registry))
        }
        try Self.checkAcrossPublications(publications, section)
        try registry.check(
            ConfigurationOutline(
                publications.map(\.outline), publicURL: publicURL, registry: registry, section: section))
        try top.finish()
    }

    /// The folder in which catalogues are cached across restarts, in the folder of the state.
    package var catalogueFolder: String {
        URL(fileURLWithPath: state.location.folder).appending(path: "catalogues").path
    }

    /// Checks that other nodes reach the admin listener at the URL of this node. Announcements of ended sessions would
    /// otherwise never arrive.
    private static func check(
        nodeURL url: String, _ section: SettingsSection, adminListen: AdminListenAddress?, isEncrypted: Bool
    ) throws(SettingsError) {
        guard let adminListen else { throw section.error("node_url", expected: "requires `server.admin_listen`") }
        guard case .tcp(let address) = adminListen else {
            throw section.error("node_url", expected: "requires an address in `server.admin_listen`, not a Unix socket")
        }
        let scheme = isEncrypted ? "https" : "http"
        guard let origin = ServiceURL(url)?.origin, origin.scheme == scheme else {
            let cause = "`server.admin_tls` is \(isEncrypted ? "" : "not ")set"
            throw section.error("node_url", expected: "expected \(scheme)://HOST:PORT, because \(cause)")
        }
        guard !Loopback.contains(host: address.host) || Loopback.contains(host: origin.host) else {
            throw section.error("node_url", expected: "requires a `server.admin_listen` that other machines reach")
        }
    }

    /// - Parameter readMore: Reads further settings of the section.
    private static func tls(
        _ server: SettingsSection, _ name: String,
        readMore: (SettingsSection) throws(SettingsError) -> Void = { (_: SettingsSection) throws(SettingsError) in }
    ) throws(SettingsError) -> TLSFiles? {
        guard server.has(name) else { return nil }
        let section = try server.section(name)
        guard let certificate = try section.filePath("certificate"), let key = try section.filePath("key") else {
            throw server.error(name, expected: "expected the paths `certificate` and `key` of PEM files")
        }
        try readMore(section)
        try section.finish()
        return TLSFiles(certificate: certificate, key: key)
    }

    private static func state(
        _ section: SettingsSection
    ) throws(SettingsError) -> StateConfiguration {
        let location = try StateLocation(section)
        guard let secret = try section.secret("pseudonym_secret") else {
            throw section.error("pseudonym_secret", expected: "missing; expected {file: PATH} or {env: NAME}")
        }
        let pushTokens = try section.integer(
            "push_tokens_per_hour", default: PushTokenLimits.defaultNewTokensPerHour, in: 1...10_000_000)
        let sessions = try section.integer(
            "sessions_per_hour", default: SessionLimiter.defaultPerHour, in: 10...10_000_000)
        try section.finish()
        return StateConfiguration(
            location: location, pseudonymKey: PseudonymKey(secret), pushTokensPerHour: pushTokens,
            sessionsPerHour: sessions, fingerprint: section.fingerprint())
    }

    private static func backends(_ section: SettingsSection) throws(SettingsError) -> [BackendConfiguration] {
        var backends: [BackendConfiguration] = []
        for name in section.names {
            backends.append(BackendConfiguration(name: name, settings: try section.section(name).withPreset()))
        }
        return backends
    }

    /// Checks the rules that span several publications.
    private static func checkAcrossPublications(
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
                        expected: "`default` is already set for \(other.publication.id); expected at most one")
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

/// The settings for hashing and checking passwords.
public struct PasswordConfiguration: Sendable {
    /// The number of threads that check passwords. This number limits the CPU cost of sign-ins. Default: 2. Range:
    /// 1 to 64. Source: Pitfall 19, “Brute force and lockout”.
    public let workers: Int
    /// The cost of new hashes, on the yescrypt scale of crypt_gensalt(3).
    public let cost: Int
    /// The secret of the fast hashes that very large imports may use; nil if no import uses them.
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

/// A backend as the configuration names it. Its kind interprets the other settings.
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

    func adminAddress(_ name: String) throws(SettingsError) -> AdminListenAddress? {
        guard let text = try string(name) else { return nil }
        guard let address = AdminListenAddress(text) else {
            throw error(name, expected: "expected an address such as 127.0.0.1:8081 or unix:/run/gatefold/admin.sock")
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
