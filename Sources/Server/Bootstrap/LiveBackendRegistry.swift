import Backends
import Gatefold
import Resilience

/// The backends in force. When the configuration is read again, a backend with unchanged settings stays open with
/// its connections and its cache.
struct LiveBackendRegistry: Sendable {
    private struct Entry: Sendable {
        let fingerprint: [UInt8]
        let members: [String]
        let backend: any SubscriberBackend
    }

    private var entries: [String: Entry] = [:]

    init() {}

    /// - Parameter wrapping: Receives the name and the opened backend, and returns the backend that the
    ///   protection and the callers use in its place.
    /// - Throws: ``BootstrapError/backend(name:cause:)`` or ``BootstrapError/newerSchema(cause:)``.
    init(
        _ plan: BackendPlan, services: BackendServices, reusing before: LiveBackendRegistry? = nil,
        wrapping: (String, any SubscriberBackend) -> any SubscriberBackend = { $1 }
    ) throws {
        for planned in plan.entries {
            if let existing = before?.entries[planned.name], existing.fingerprint == planned.fingerprint {
                entries[planned.name] = existing
                continue
            }
            var services = services
            for member in planned.kind.members { services.members[member] = entries[member]?.backend }
            do {
                let opened = wrapping(planned.name, try planned.kind.open(services))
                entries[planned.name] = Entry(
                    fingerprint: planned.fingerprint, members: planned.kind.members,
                    backend: protect(opened, planned, services))
            } catch let error as SubscriberDatabaseError where error.isNewerSchema {
                throw BootstrapError.newerSchema(cause: "the backend \(planned.name): \(error)")
            } catch {
                throw BootstrapError.backend(name: planned.name, cause: "\(error)")
            }
        }
    }

    /// Returns the backend with its protection. A backend that queries an external system is protected from that
    /// system's failures.
    private func protect(
        _ opened: any SubscriberBackend, _ planned: BackendPlan.Entry, _ services: BackendServices
    ) -> any SubscriberBackend {
        guard var protection = planned.protection else { return opened }
        // Queries beyond the backend's own limit wait in the queue, where the deadline does not run.
        protection.concurrency.nodeLimit = planned.kind.maxConcurrent
        return ProtectedBackend(
            opened, varyingFields: planned.kind.varyingFields, decidesEditions: planned.kind.decidesEditions,
            settings: protection, services: services)
    }

    subscript(name: String) -> (any SubscriberBackend)? { entries[name]?.backend }

    /// Returns the backend and all its direct and indirect members; empty if no backend has this name.
    func family(of name: String) -> [any SubscriberBackend] {
        guard let entry = entries[name] else { return [] }
        return [entry.backend] + entry.members.flatMap { family(of: $0) }
    }

    var all: [any SubscriberBackend] { entries.sorted { $0.key < $1.key }.map(\.value.backend) }
}
