import Backends
import Gatefold
import Protections

/// The backends in force. One whose settings stay the same stays, with its connections and its memory, when the
/// configuration is read again.
struct OpenBackends: Sendable {
    private struct Entry: Sendable {
        let fingerprint: [UInt8]
        let members: [String]
        let backend: any SubscriberBackend
    }

    private var entries: [String: Entry] = [:]

    init() {}

    /// - Parameter interposing: puts something between an opened backend, which it is given with its name, and whatever
    ///   protects and asks it.
    /// - Throws: ``AssemblyError/backend(name:cause:)`` or ``AssemblyError/newerSchema(cause:)``.
    init(
        _ plan: BackendPlan, services: BackendServices, keeping before: OpenBackends? = nil,
        interposing: (String, any SubscriberBackend) -> any SubscriberBackend = { $1 }
    ) throws {
        for planned in plan.entries {
            if let kept = before?.entries[planned.name], kept.fingerprint == planned.fingerprint {
                entries[planned.name] = kept
                continue
            }
            var services = services
            for member in planned.kind.members { services.members[member] = entries[member]?.backend }
            do {
                let opened = interposing(planned.name, try planned.kind.open(services))
                entries[planned.name] = Entry(
                    fingerprint: planned.fingerprint, members: planned.kind.members,
                    backend: protect(opened, planned, services))
            } catch let error as SubscriberDatabaseError where error.isNewerSchema {
                throw AssemblyError.newerSchema(cause: "the backend \(planned.name): \(error)")
            } catch {
                throw AssemblyError.backend(name: planned.name, cause: "\(error)")
            }
        }
    }

    /// Whoever asks something outside has its bad days between itself and the readers.
    private func protect(
        _ opened: any SubscriberBackend, _ planned: BackendPlan.Entry, _ services: BackendServices
    ) -> any SubscriberBackend {
        guard var protection = planned.protection else { return opened }
        // What waits does so in the queue, outside its deadline.
        if let most = planned.kind.mostAtOnce { protection.concurrency.most = min(protection.concurrency.most, most) }
        return ProtectedBackend(
            opened, decidingFields: planned.kind.decidingFields, decidesEditions: planned.kind.decidesEditions,
            settings: protection, services: services)
    }

    subscript(name: String) -> (any SubscriberBackend)? { entries[name]?.backend }

    /// The backend and all that it asks, however far; empty when there is none of that name.
    func family(of name: String) -> [any SubscriberBackend] {
        guard let entry = entries[name] else { return [] }
        return [entry.backend] + entry.members.flatMap { family(of: $0) }
    }

    var all: [any SubscriberBackend] { entries.sorted { $0.key < $1.key }.map(\.value.backend) }
}
