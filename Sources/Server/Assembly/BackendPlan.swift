public import Backends
import Settings

/// The backends of a configuration as read and not yet opened, those that others ask before those who ask them.
public struct BackendPlan: Sendable {
    public struct Entry: Sendable {
        public let name: String
        public let kind: any BackendKind
        /// The same fingerprint means that an opened backend may stay: its own settings and those of all it asks.
        let fingerprint: [UInt8]
        /// Nil for one inside the process, which needs none.
        let protection: ProtectionSettings?
    }

    public let entries: [Entry]

    init(entries: [Entry]) {
        self.entries = entries
    }

    /// - Parameters:
    ///   - stores: the app stores there are; a backend that asks one is another when the store is.
    ///   - readKind: reads a backend's settings by the kind they name.
    /// - Throws: ``SettingsError``, also for members and stores that do not exist, and members that ask one another in a
    ///   circle.
    init(
        _ backends: [BackendConfiguration], stores: [StoreConfiguration] = [],
        readKind: (BackendConfiguration) throws -> any BackendKind = {
            try BackendRegistry.read(name: $0.name, settings: $0.settings)
        }
    ) throws {
        var read: [String: any BackendKind] = [:]
        var protections: [String: ProtectionSettings] = [:]
        for backend in backends {
            let kind = try readKind(backend)
            read[backend.name] = kind
            if kind.isRemote {
                protections[backend.name] = try ProtectionSettings(try backend.settings.section("protection"))
            }
            try backend.settings.finish()
            for store in kind.stores where !stores.contains(where: { $0.name == store }) {
                throw backend.settings.error("stores", expected: "asks the store `\(store)`, which is not there")
            }
        }
        var entries: [Entry] = []
        var waiting = backends
        while !waiting.isEmpty {
            let done = Set(entries.map(\.name))
            var ready: [BackendConfiguration] = []
            for backend in waiting {
                for member in read[backend.name]?.members ?? [] where read[member] == nil {
                    throw backend.settings.error("kind", expected: "asks the backend `\(member)`, which is not there")
                }
                if done.isSuperset(of: read[backend.name]?.members ?? []) { ready.append(backend) }
            }
            if let stuck = waiting.first, ready.isEmpty {
                throw stuck.settings.error(
                    "kind", expected: "expected backends that do not ask one another in a circle")
            }
            for backend in ready {
                guard let kind = read[backend.name] else { continue }
                try kind.check(read.filter { kind.members.contains($0.key) })
                let asked =
                    entries.filter { kind.members.contains($0.name) }.flatMap(\.fingerprint)
                    + stores.filter { kind.stores.contains($0.name) }.flatMap { $0.settings.fingerprint() }
                entries.append(
                    Entry(
                        name: backend.name, kind: kind, fingerprint: backend.settings.fingerprint() + asked,
                        protection: protections[backend.name]))
            }
            waiting.removeAll { backend in ready.contains { $0.name == backend.name } }
        }
        self.entries = entries
    }

    public func kind(_ name: String) -> (any BackendKind)? {
        entries.first { $0.name == name }?.kind
    }

    /// The request fields in which the backend, or one that it asks, takes a store's receipt.
    func receiptFields(of name: String) -> Set<String> {
        family(of: name).reduce(into: []) { $0.formUnion($1.kind.receiptFields) }
    }

    /// The backend and all that it asks, however far.
    func family(of name: String) -> [Entry] {
        guard let entry = entries.first(where: { $0.name == name }) else { return [] }
        return [entry] + entry.kind.members.flatMap { family(of: $0) }
    }
}
