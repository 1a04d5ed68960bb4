import Gatefold
import Primitives

struct HealthQuery: BackendQuery {
    static let kind = "health"

    func add(to parts: inout BackendQueryKeys.Parts) {}

    func send(to backend: ResolvedBackend, _ context: CallContext) async throws { try await backend.health() }

    static func inFlight(_ queries: InFlightQueries) -> Coalescing<InFlightQuery, Void> { queries.completions }
}
