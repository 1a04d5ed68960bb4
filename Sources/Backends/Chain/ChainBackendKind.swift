import Gatefold
import Settings

/// Several backends asked as one, `kind: chain`.
struct ChainBackendKind: BackendKind {
    static let name = "chain"
    /// More would make a sign-in that nobody recognises very slow.
    static let mostMembers = 16

    private let name: String
    private let order: ChainOrder
    private let rules: [(name: String, rule: ChainRule)]
    private let adopter: String?
    private let adopterError: SettingsError

    init(name: String, settings: SettingsSection) throws(SettingsError) {
        self.name = name
        order = try settings.choice("ask", default: .inOrder)
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
                        recognised: try section.choice("recognised", default: .stop),
                        notRecognised: try section.choice("not_recognised", default: .next),
                        unavailable: try section.choice("unavailable", default: .next))
                ))
            try section.finish()
        }
        guard (1...Self.mostMembers).contains(rules.count) else {
            throw settings.error("members", expected: "expected a list of 1 to \(Self.mostMembers) backends")
        }
        self.rules = rules
        let adopt = try settings.section("adopt")
        adopter =
            settings.has("adopt")
            ? try adopt.requiredString("into", expected: "the name of a backend of kind sqlite") : nil
        adopterError = adopt.error("into", expected: "expected a backend of kind sqlite that checks a proof")
        try adopt.finish()
    }

    var members: [String] {
        let names = rules.map(\.name)
        return names + (adopter.map { names.contains($0) ? [] : [$0] } ?? [])
    }

    func check(_ members: [String: any BackendKind]) throws(SettingsError) {
        if let adopter, members[adopter]?.adopts != true { throw adopterError }
    }

    /// A chain adds no waiting of its own; its members are protected each by themselves.
    var isRemote: Bool { false }

    func open(_ services: BackendServices) throws -> any SubscriberBackend {
        var opened: [ChainMember] = []
        for (member, rule) in rules {
            guard let backend = services.members[member] else { throw MissingMember(name: member) }
            opened.append(ChainMember(backend: backend, rule: rule))
        }
        // What a drill stands in front of its store takes nobody over.
        let adoption = adopter.flatMap { services.members[$0] as? any SubscriberAdopter }.map {
            Adoption(chain: name, adopter: $0, references: services.references, observe: services.observe)
        }
        return ChainBackend(name: name, members: opened, order: order, adoption: adoption)
    }
}

/// A backend was to be opened before those it asks.
struct MissingMember: Error, CustomStringConvertible {
    let name: String
    var description: String { "the backend \(name), which it asks, is not open" }
}
