import Gatefold
import Primitives

struct RenewalQuery: BackendQuery {
    static let kind = "renew"
    let subscriber: Subscriber

    func add(to parts: inout BackendQueryKeys.Parts) { parts.add(subscriber) }

    func send(to backend: ResolvedBackend, _ context: CallContext) async throws -> AuthenticationResult {
        try await backend.renew(subscriber, context: context)
    }

    static func inFlight(_ queries: InFlightQueries) -> Coalescing<InFlightQuery, AuthenticationResult> {
        queries.authentications
    }
}
