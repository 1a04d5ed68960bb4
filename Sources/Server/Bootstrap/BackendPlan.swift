public import Backends
import Resilience
import Settings

/// The backends of a configuration, read but not yet opened. Members precede the backends that query them.
public struct BackendPlan: Sendable {
    public struct Entry: Sendable {
        public let name: String
        public let kind: any BackendKind
        /// The fingerprint of the backend's own settings and of the settings of its members. If it does not change,
        /// an opened backend can stay open.
        let fingerprint: [UInt8]
        /// The protection settings; nil for a backend inside the process, which needs none.
        let protection: ProtectionSettings?
    }

    public let entries: [Entry]

    init(entries: [Entry]) {
        self.entries = entries
    }

    /// - Parameters:
    ///   - stores: The configured app stores. A backend that queries a store is reopened when the store's settings
    ///     change.
    ///   - readKind: Reads a backend's settings according to the kind that they name.
    /// - Throws: ``SettingsError``, also for missing members, missing stores, and members that query one another in
    ///   a cycle.
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
                throw backend.settings.error("stores", expected: "expected a configured store, found `\(store)`")
            }
        }
        var entries: [Entry] = []
        var waiting = backends
        while !waiting.isEmpty {
            let done = Set(entries.map(\.name))
            var ready: [BackendConfiguration] = []
            for backend in waiting {
                for member in read[backend.name]?.members ?? [] where read[member] == nil {
                    throw backend.settings.error("kind", expected: "expected a configured backend, found `\(member)`")
                }
                if done.isSuperset(of: read[backend.name]?.members ?? []) { ready.append(backend) }
            }
            if let stuck = waiting.first, ready.isEmpty {
                throw stuck.settings.error(
                    "kind", expected: "expected backends that do not refer to one another in a cycle")
            }
            for backend in ready {
                guard let kind = read[backend.name] else { continue }
                try kind.check(read.filter { kind.members.contains($0.key) })
                let requested =
                    entries.filter { kind.members.contains($0.name) }.flatMap(\.fingerprint)
                    + stores.filter { kind.stores.contains($0.name) }.flatMap { $0.settings.fingerprint() }
                entries.append(
                    Entry(
                        name: backend.name, kind: kind, fingerprint: backend.settings.fingerprint() + requested,
                        protection: protections[backend.name]))
            }
            waiting.removeAll { backend in ready.contains { $0.name == backend.name } }
        }
        self.entries = entries
    }

    public func kind(_ name: String) -> (any BackendKind)? {
        entries.first { $0.name == name }?.kind
    }

    /// Returns the request fields in which the backend or one of its members accepts a store receipt.
    func receiptFields(of name: String) -> Set<String> {
        family(of: name).reduce(into: []) { $0.formUnion($1.kind.receiptFields) }
    }

    /// Returns the backend and all its direct and indirect members.
    package func family(of name: String) -> [Entry] {
        guard let entry = entries.first(where: { $0.name == name }) else { return [] }
        return [entry] + entry.kind.members.flatMap { family(of: $0) }
    }
}
