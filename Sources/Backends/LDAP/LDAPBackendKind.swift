import Gatefold
import LDAP
import Primitives
import SQLAccess
import Settings

/// A directory, `kind: ldap`.
struct LDAPBackendKind: BackendKind {
    static let name = "ldap"

    private let name: String
    private let settings: LDAPSettings
    private let directory: DirectoryQueries

    init(name: String, settings: SettingsSection) throws(SettingsError) {
        self.name = name
        self.settings = try LDAPSettings(settings)
        directory = try DirectoryQueries(settings)
    }

    var checkedProofs: Set<String>? { directory.checkedProofs }
    var decidesEditions: Bool { false }
    var maxConcurrent: Int? { settings.connections }

    func open(_ services: BackendServices) throws -> any SubscriberBackend {
        let library = try LDAPLibrary()
        let servers = DirectoryServers(settings.servers)
        let pool = ConnectionPool<DirectorySession>(
            size: settings.connections,
            open: { [settings] in DirectorySession(library: library, settings: settings, servers: servers) },
            isConnectionLoss: { $0 as? LDAPError == .connectionLost })
        return LDAPSubscriberBackend(
            name: name, pool: pool, queries: directory, referrals: settings.referrals, services: services)
    }
}

/// The settings of the queries to a directory.
struct DirectoryQueries: Sendable {
    let people: DirectoryPeople
    let authentication: DirectoryAuthentication
    let key: DirectoryKey
    let groups: DirectoryGroups?
    let mapping: SubscriptionMapping

    /// Reads `people`, `authenticate`, `key`, `groups` and `subscription`.
    init(_ section: SettingsSection) throws(SettingsError) {
        let authenticate = try section.section("authenticate")
        people = try DirectoryPeople(
            try section.requiredSection("people", expected: "the location of the readers"),
            needsFilter: try DirectoryAuthentication.needsFilter(authenticate))
        authentication = try DirectoryAuthentication(authenticate, base: people.base)
        let key = section.has("key") ? try section.attribute("key") : "dn"
        self.key = DirectoryKey(attribute: key.lowercased() == "dn" ? nil : key)
        groups = section.has("groups") ? try DirectoryGroups(try section.section("groups")) : nil
        mapping = try SubscriptionMapping(try section.section("subscription"))
        if groups == nil, let field = mapping.fields.first(where: { DirectoryGroups.Field(rawValue: $0) != nil }) {
            throw section.error("subscription", expected: "reads \(field), which needs `groups`")
        }
    }

    /// The fields that the directory checks: the proof, and the fields of the name or filter except `{identifier}`.
    var checkedProofs: Set<String> {
        var names = [authentication.field]
        if case .bind(let template) = authentication.strategy { names += template.names }
        if let filter = people.filter { names += filter.names }
        return Set(names).subtracting(["identifier"])
    }

    /// The attributes that a subscription needs.
    var attributes: [String] {
        let mapped = mapping.fields.filter { DirectoryGroups.Field(rawValue: $0) == nil }
        return mapped.union(groups?.attributes ?? []).sorted()
    }

    var keyAttributes: [String] { key.attribute.map { [$0] } ?? [] }
}
