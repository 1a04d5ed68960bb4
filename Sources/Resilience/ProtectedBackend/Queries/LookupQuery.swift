import Gatefold
import Primitives

/// A lookup by an operator. Its result is never cached, because it must not evict what readers need.
struct LookupQuery: BackendQuery {
    static let kind = "lookup"
    let credentials: Credentials

    func add(to parts: inout BackendQueryKeys.Parts) { parts.add(credentials) }

    func send(to backend: ResolvedBackend, _ context: CallContext) async throws -> ReaderLookup {
        try await backend.lookUp(credentials, context: context).value
    }

    static func inFlight(_ queries: InFlightQueries) -> Coalescing<InFlightQuery, ReaderLookup> { queries.lookups }
}
