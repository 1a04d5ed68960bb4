import Gatefold

struct HealthQuery: BackendQuery {
    static let kind = "health"

    func add(to parts: inout BackendQueryKeys.Parts) {}

    func send(to backend: ResolvedBackend, _ context: CallContext) async throws { try await backend.health() }

    static func inFlight(_ queries: InFlightQueries) -> Coalescing<Void> { queries.completions }
}
