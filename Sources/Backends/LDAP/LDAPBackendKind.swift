import Gatefold
import LDAP
import Settings

/// A directory, `kind: ldap`.
struct LDAPBackendKind: BackendKind {
    static let name = "ldap"

    private let name: String
    private let settings: LDAPSettings
    private let directory: DirectoryQuestions

    init(name: String, settings: SettingsSection) throws(SettingsError) {
        self.name = name
        self.settings = try LDAPSettings(settings)
        directory = try DirectoryQuestions(settings)
    }

    var checkedProofs: Set<String>? { directory.checkedProofs }
    var decidesEditions: Bool { false }
    var mostAtOnce: Int? { settings.connections }

    func open(_ services: BackendServices) throws -> any SubscriberBackend {
        let library = try LDAPLibrary()
        let servers = DirectoryServers(settings.servers)
        let pool = ConnectionPool<DirectorySession>(
            size: settings.connections,
            open: { [settings] in DirectorySession(library: library, settings: settings, servers: servers) },
            isLoss: { $0 as? LDAPError == .connectionLost })
        return LDAPSubscriberBackend(
            name: name, pool: pool, questions: directory, referrals: settings.referrals, services: services)
    }
}

/// What a directory is asked.
struct DirectoryQuestions: Sendable {
    let people: DirectoryPeople
    let recognition: DirectoryRecognition
    let key: DirectoryKey
    let groups: DirectoryGroups?
    let mapping: SubscriptionMapping

    /// Reads `people`, `recognise`, `key`, `groups` and `subscription`.
    init(_ section: SettingsSection) throws(SettingsError) {
        let recognise = try section.section("recognise")
        people = try DirectoryPeople(
            try section.requiredSection("people", expected: "where the readers are"),
            needsFilter: try DirectoryRecognition.needsFilter(recognise))
        recognition = try DirectoryRecognition(recognise, base: people.base)
        let key = section.has("key") ? try section.attribute("key") : "dn"
        self.key = DirectoryKey(attribute: key.lowercased() == "dn" ? nil : key)
        groups = section.has("groups") ? try DirectoryGroups(try section.section("groups")) : nil
        mapping = try SubscriptionMapping(try section.section("subscription"))
        if groups == nil, let field = mapping.fields.first(where: { DirectoryGroups.Field(rawValue: $0) != nil }) {
            throw section.error("subscription", expected: "reads \(field), which needs `groups`")
        }
    }

    /// What proves, and what the name or filter is made of besides `{identifier}`: the directory looks for them.
    var checkedProofs: Set<String> {
        var names = [recognition.field]
        if case .bind(let template) = recognition.way { names += template.names }
        if let filter = people.filter { names += filter.names }
        return Set(names).subtracting(["identifier"])
    }

    /// The attributes that a subscription is made of.
    var attributes: [String] {
        let mapped = mapping.fields.filter { DirectoryGroups.Field(rawValue: $0) == nil }
        return mapped.union(groups?.attributes ?? []).sorted()
    }

    var keyAttributes: [String] { key.attribute.map { [$0] } ?? [] }
}
