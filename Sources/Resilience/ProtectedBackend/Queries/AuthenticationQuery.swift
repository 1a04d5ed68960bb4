import Gatefold
import Primitives

struct AuthenticationQuery: CacheableQuery {
    static let kind = "authenticate"
    let credentials: Credentials

    func add(to parts: inout BackendQueryKeys.Parts) { parts.add(credentials) }

    func send(to backend: ResolvedBackend, _ context: CallContext) async throws -> AuthenticationResult {
        try await backend.authenticate(credentials, context: context).value
    }

    static func inFlight(_ queries: InFlightQueries) -> Coalescing<InFlightQuery, AuthenticationResult> {
        queries.authentications
    }

    /// Nil, because the cache stores nothing that a reader typed.
    var plainKey: BackendQueryKey? { nil }

    func subject(
        _ key: BackendQueryKey, of result: AuthenticationResult, in scope: CacheScope
    ) -> BackendResultStore.Subject {
        var groups = [scope.group(ofIdentifier: credentials.identifier)]
        if case .authenticated(let subscriber) = result { groups.append(scope.group(of: subscriber)) }
        return BackendResultStore.Subject(key: key, groups: groups, proofs: scope.proofs(of: credentials))
    }

    static func stored(_ result: AuthenticationResult) -> StoredResult { .authentication(result) }

    static func result(_ stored: StoredResult) -> AuthenticationResult? {
        if case .authentication(let result) = stored { result } else { nil }
    }
}
