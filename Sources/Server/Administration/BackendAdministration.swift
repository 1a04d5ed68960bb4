import Backends
import Gatefold

/// What an operator sees of the backends, and does to them.
struct BackendAdministration: Sendable {
    let publications: CurrentPublications
    private let gauges = ProtectionGauges()

    init(_ publications: CurrentPublications) {
        self.publications = publications
    }

    /// Whether each backend can be asked, in alphabetical order. One that can not is no reason to take the node out: its
    /// readers have their last answers from this one as from any other.
    func health() async -> [BackendHealth] {
        await withTaskGroup(of: BackendHealth.self) { group in
            for backend in publications.value.backends.all {
                group.addTask {
                    let isUp: Bool
                    do {
                        try await backend.health()
                        isUp = true
                    } catch {
                        isUp = false
                    }
                    return BackendHealth(
                        name: backend.name, isUp: isUp, status: (backend as? ProtectedBackend)?.status)
                }
            }
            return await group.reduce(into: []) { $0.append($1) }.sorted { $0.name < $1.name }
        }
    }

    /// Forgets what a backend and those that it asks are remembered to have said.
    ///
    /// - Returns: how many answers were forgotten; nil when there is no such backend.
    func flush(_ name: String, _ target: FlushTarget) -> Int? {
        let family = publications.value.backends.family(of: name)
        guard !family.isEmpty else { return nil }
        return family.compactMap { $0 as? ProtectedBackend }.reduce(0) { $0 + $1.flush(target) }
    }

    /// Brings the metrics up to date; before they are written, not with every question.
    func measure() {
        for backend in publications.value.backends.all {
            guard let protected = backend as? ProtectedBackend else { continue }
            gauges.report(protected.status, of: protected)
        }
    }
}
