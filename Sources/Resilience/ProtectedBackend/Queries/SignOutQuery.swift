import Gatefold
import Primitives

struct SignOutQuery: BackendQuery {
    static let kind = "sign_out"
    let subscriber: Subscriber

    func add(to parts: inout BackendQueryKeys.Parts) { parts.add(subscriber) }

    func send(to backend: ResolvedBackend, _ context: CallContext) async throws {
        try await backend.signOut(subscriber, context: context)
    }

    static func inFlight(_ queries: InFlightQueries) -> Coalescing<InFlightQuery, Void> { queries.completions }
}
