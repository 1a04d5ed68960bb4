import Gatefold
import Settings

/// A serving backend and another that is compared with it, `kind: shadow`.
struct ShadowBackendKind: BackendKind {
    static let name = "shadow"

    private let name: String
    private let serves: String
    private let watches: String
    private let share: Int
    private let maxConcurrent: Int

    init(name: String, settings: SettingsSection) throws(SettingsError) {
        self.name = name
        serves = try settings.requiredString("primary", expected: "the name of the backend that serves readers")
        watches = try settings.requiredString("candidate", expected: "the name of the backend that is compared")
        guard serves != watches else {
            throw settings.error("candidate", expected: "expected another backend than the one that serves")
        }
        let text = try settings.string("share", default: "100%")
        guard text.last == "%", let share = Int(text.dropLast()), (1...100).contains(share) else {
            throw settings.error("share", expected: "expected a share of the readers from 1% to 100%")
        }
        self.share = share
        maxConcurrent = try settings.integer("max_concurrent", default: 16, in: 1...1000)
    }

    var members: [String] { [serves, watches] }

    /// A Boolean value that indicates whether the backend is remote. It is `false` because each of the two members
    /// has its own protections.
    var isRemote: Bool { false }

    func open(_ services: BackendServices) throws -> any SubscriberBackend {
        guard let serves = services.members[serves] else { throw MissingMember(name: serves) }
        guard let watches = services.members[watches] else { throw MissingMember(name: watches) }
        return ShadowBackend(
            name: name, wrapped: ResolvedBackend(serves),
            monitor: ShadowMonitor(
                shadow: name, watching: watches, share: share, maxConcurrent: maxConcurrent, services: services))
    }
}
