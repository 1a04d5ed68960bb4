import Gatefold
import Resilience

/// The health checks, cache flushes and metrics of the backends, for an operator.
struct BackendAdministration: Sendable {
    let publications: ReloadableSnapshot
    private let healthTimeout: @Sendable () async throws -> Void
    private let gauges = ProtectionGauges()

    /// - Parameter healthTimeout: Returns when the time limit for the health checks of all backends ends. Default: 800
    ///   ms. The limit is short because a load balancer waits only one to two seconds for the health of the node.
    init(
        _ publications: ReloadableSnapshot,
        healthTimeout: @escaping @Sendable () async throws -> Void = { try await Task.sleep(for: .milliseconds(800)) }
    ) {
        self.publications = publications
        self.healthTimeout = healthTimeout
    }

    /// The backends that query another system.
    var protected: [ProtectedBackend] { publications.value.backends.all.compactMap { $0 as? ProtectedBackend } }

    /// Returns the health of each backend, in alphabetical order. A backend failure is no reason to take this node
    /// out of service, because other nodes would serve its readers from the same cached results.
    func health() async -> [BackendHealth] {
        await withTaskGroup(of: BackendHealth.self) { group in
            for backend in publications.value.backends.all {
                group.addTask {
                    let isUp = await checkIsUp(backend)
                    return BackendHealth(
                        name: backend.name, isUp: isUp, status: (backend as? ProtectedBackend)?.status)
                }
            }
            return await group.reduce(into: []) { $0.append($1) }.sorted { $0.name < $1.name }
        }
    }

    /// Returns a Boolean value that indicates whether the backend reports itself healthy within the time limit.
    /// After the limit, the health check continues in the background, so that the next caller finds its result.
    private func checkIsUp(_ backend: any SubscriberBackend) async -> Bool {
        let (results, continuation) = AsyncStream.makeStream(of: Bool.self, bufferingPolicy: .bufferingOldest(1))
        Task {
            do {
                try await backend.health()
                continuation.yield(true)
            } catch {
                continuation.yield(false)
            }
        }
        let timer = Task {
            try await healthTimeout()
            continuation.yield(false)
        }
        defer { timer.cancel() }
        for await isUp in results { return isUp }
        return false
    }

    /// Returns the names of a backend and of the backends that it queries; none if no backend has this name.
    func family(of name: String) -> [String] { publications.value.backends.family(of: name).map { $0.name } }

    /// Removes cached results of a backend and of its members.
    ///
    /// - Returns: The number of removed results and the number of results that remain; nil if no backend has this
    ///   name.
    func flush(_ name: String, _ target: FlushTarget) -> (removed: Int, remaining: Int)? {
        let family = publications.value.backends.family(of: name)
        guard !family.isEmpty else { return nil }
        return family.compactMap { $0 as? ProtectedBackend }.reduce((0, 0)) { sum, backend in
            let removed = backend.flush(target)
            return (sum.0 + removed, sum.1 + backend.status.entries)
        }
    }

    /// Updates the metrics. Called before metrics are exported, not with every query.
    func measure() {
        for backend in protected { gauges.report(backend.status, of: backend) }
    }
}
