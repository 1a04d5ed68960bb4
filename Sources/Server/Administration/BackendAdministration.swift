import Backends
import Gatefold

/// What an operator sees of the backends, and does to them.
struct BackendAdministration: Sendable {
    let publications: CurrentPublications
    private let patience: @Sendable () async throws -> Void
    private let gauges = ProtectionGauges()

    /// - Parameter patience: ends when a backend has had time enough to say how it is. Whoever asks after this node, such as
    ///   a load balancer, waits no longer than a second or two for all.
    init(
        _ publications: CurrentPublications,
        patience: @escaping @Sendable () async throws -> Void = { try await Task.sleep(for: .milliseconds(800)) }
    ) {
        self.publications = publications
        self.patience = patience
    }

    /// Whether each backend can be asked, in alphabetical order. One that can not is no reason to take the node out: its
    /// readers have their last answers from this one as from any other.
    func health() async -> [BackendHealth] {
        await withTaskGroup(of: BackendHealth.self) { group in
            for backend in publications.value.backends.all {
                group.addTask {
                    let isUp = await saysItIsUp(backend)
                    return BackendHealth(
                        name: backend.name, isUp: isUp, status: (backend as? ProtectedBackend)?.status)
                }
            }
            return await group.reduce(into: []) { $0.append($1) }.sorted { $0.name < $1.name }
        }
    }

    /// Whether it says so, in time. The question goes on by itself after that, so that its end is known to the next who asks.
    private func saysItIsUp(_ backend: any SubscriberBackend) async -> Bool {
        let (words, word) = AsyncStream.makeStream(of: Bool.self, bufferingPolicy: .bufferingOldest(1))
        Task {
            do {
                try await backend.health()
                word.yield(true)
            } catch {
                word.yield(false)
            }
        }
        let timer = Task {
            try await patience()
            word.yield(false)
        }
        defer { timer.cancel() }
        for await isUp in words { return isUp }
        return false
    }

    /// Forgets what a backend and those that it asks are remembered to have said.
    ///
    /// - Returns: how many answers were forgotten, and how many there still are; nil when there is no such backend.
    func flush(_ name: String, _ target: FlushTarget) -> (forgotten: Int, kept: Int)? {
        let family = publications.value.backends.family(of: name)
        guard !family.isEmpty else { return nil }
        return family.compactMap { $0 as? ProtectedBackend }.reduce((0, 0)) { sum, backend in
            let forgotten = backend.flush(target)
            return (sum.0 + forgotten, sum.1 + backend.status.entries)
        }
    }

    /// Brings the metrics up to date; before they are written, not with every question.
    func measure() {
        for backend in publications.value.backends.all {
            guard let protected = backend as? ProtectedBackend else { continue }
            gauges.report(protected.status, of: protected)
        }
    }
}
