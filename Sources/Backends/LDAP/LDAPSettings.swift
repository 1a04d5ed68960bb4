import Foundation
import LDAP
import Settings

/// The settings of the connection to a directory and of the identity that searches it.
struct LDAPSettings: Sendable {
    /// The handling of a result that refers to other servers. Those servers are never queried because no setting
    /// declares them trustworthy.
    enum Referrals: String, CaseIterable, Sendable {
        /// The query fails because the results of the other servers are unknown.
        case fail
        /// The result counts as complete.
        case ignore
    }

    enum Identity: Sendable {
        case anonymous
        case service(name: String, password: [UInt8])
    }

    let servers: [DirectoryURL]
    let options: LDAPOptions
    let identity: Identity
    let referrals: Referrals
    let connections: Int

    /// Reads `servers`, `starttls`, `tls`, `connect_timeout`, `timeout`, `referrals`, `connections`, `service` and
    /// `anonymous`.
    init(_ section: SettingsSection) throws(SettingsError) {
        var servers: [DirectoryURL] = []
        for text in try section.strings("servers") ?? [] {
            guard let url = DirectoryURL(text) else {
                throw section.error("servers", expected: Self.serverFormat)
            }
            servers.append(url)
        }
        guard !servers.isEmpty else { throw section.error("servers", expected: Self.serverFormat) }
        self.servers = servers
        referrals = try section.choice("referrals", default: .fail)
        connections = try section.integer("connections", default: 8, in: 1...256)
        var options = LDAPOptions()
        options.startsTLS = try section.boolean("starttls", default: true)
        options.connectTimeout = .seconds(try section.duration("connect_timeout", default: 3, in: 1...60))
        options.timeout = .seconds(try section.duration("timeout", default: 5, in: 1...60))
        options.tls = try Self.tls(try section.section("tls"))
        self.options = options
        identity = try Self.identity(section)
    }

    private static let serverFormat =
        "expected a list of URLs such as ldap://ldap.example.com, ldaps://ldap.example.com or ldapi://%2Frun%2Fldapi"

    private static func tls(_ section: SettingsSection) throws(SettingsError) -> LDAPOptions.TLS {
        var tls = LDAPOptions.TLS()
        if let file = try section.filePath("ca") { tls.authorityFile = file }
        tls.certificateFile = try section.filePath("certificate")
        tls.keyFile = try section.filePath("key")
        guard (tls.certificateFile == nil) == (tls.keyFile == nil) else {
            throw section.error("certificate", expected: "expected `certificate` and `key` together")
        }
        try section.finish()
        return tls
    }

    private static func identity(_ section: SettingsSection) throws(SettingsError) -> Identity {
        let isAnonymous = try section.boolean("anonymous", default: false)
        guard isAnonymous != section.has("service") else {
            throw section.error(
                "service", expected: "expected `service` with `name` and `password`, or else `anonymous: true`")
        }
        if isAnonymous { return .anonymous }
        let service = try section.section("service")
        let name = try service.distinguishedName("name")
        guard let password = try service.externalSecret("password") else {
            throw service.error("password", expected: "missing; expected {file: PATH} or {env: NAME}")
        }
        try service.finish()
        return .service(name: name, password: Array(password.utf8))
    }
}
