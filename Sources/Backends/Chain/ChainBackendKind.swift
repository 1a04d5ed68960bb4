import Gatefold
import Settings

/// A chain of several backends, `kind: chain`.
struct ChainBackendKind: BackendKind {
    static let name = "chain"
    /// The maximum number of members. More members would make a rejected sign-in very slow.
    static let maxMembers = 16

    private let name: String
    private let order: ChainOrder
    private let rules: [(name: String, rule: ChainRule)]
    private let migrationTarget: String?
    private let migrationTargetError: SettingsError

    init(name: String, settings: SettingsSection) throws(SettingsError) {
        self.name = name
        order = try settings.choice("strategy", default: .inOrder)
        var rules: [(name: String, rule: ChainRule)] = []
        for section in try settings.sections("members") {
            let member = try section.requiredString("backend", expected: "the name of a backend")
            guard !rules.contains(where: { $0.name == member }) else {
                throw section.error("backend", expected: "`\(member)` is in the chain already")
            }
            rules.append(
                (
                    member,
                    ChainRule(
                        authenticated: try section.choice("authenticated", default: .stop),
                        rejected: try section.choice("rejected", default: .next),
                        unavailable: try section.choice("unavailable", default: .next))
                ))
            try section.finish()
        }
        guard (1...Self.maxMembers).contains(rules.count) else {
            throw settings.error("members", expected: "expected a list of 1 to \(Self.maxMembers) backends")
        }
        self.rules = rules
        let migrate = try settings.section("lazy_migration")
        migrationTarget =
            settings.has("lazy_migration")
            ? try migrate.requiredString("into", expected: "the name of a backend of kind sqlite or registry") : nil
        migrationTargetError = migrate.error(
            "into", expected: "expected a backend of kind sqlite or registry that checks a proof")
        try migrate.finish()
    }

    var members: [String] {
        let names = rules.map(\.name)
        return names + (migrationTarget.map { names.contains($0) ? [] : [$0] } ?? [])
    }

    func check(_ members: [String: any BackendKind]) throws(SettingsError) {
        if let migrationTarget, members[migrationTarget]?.supportsLazyMigration != true { throw migrationTargetError }
    }

    /// A Boolean value that indicates whether the backend is remote. It is `false` because a chain adds no waiting
    /// of its own, and each member has its own protections.
    var isRemote: Bool { false }

    func open(_ services: BackendServices) throws -> any SubscriberBackend {
        var opened: [ChainMember] = []
        for (member, rule) in rules {
            guard let backend = services.members[member] else { throw MissingMember(name: member) }
            opened.append(ChainMember(backend: backend, rule: rule))
        }
        // If a drill replaces the database, it does not conform to `LazyMigrationTarget` and no readers are migrated.
        let lazyMigration = migrationTarget.flatMap { services.members[$0] as? any LazyMigrationTarget }.map {
            LazyMigration(
                chain: name, migrationTarget: $0, pseudonymKey: services.pseudonymKey, observe: services.observe)
        }
        return ChainBackend(name: name, members: opened, order: order, lazyMigration: lazyMigration)
    }
}

/// The error of a backend that is opened before its members.
struct MissingMember: Error, CustomStringConvertible {
    let name: String
    var description: String { "the backend \(name), which the chain queries, is not open" }
}
