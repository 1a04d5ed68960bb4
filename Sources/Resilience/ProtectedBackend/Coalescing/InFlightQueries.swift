import Gatefold
import Primitives

/// A query that concurrent callers share. The priority is part of it because a reader must not wait for a background
/// query, which yields to readers.
struct InFlightQuery: Hashable, Sendable {
    let query: BackendQueryKey
    let priority: Priority
}

/// The queries of one backend that are in progress, by the type of their results.
struct InFlightQueries: Sendable {
    let authentications = Coalescing<InFlightQuery, AuthenticationResult>()
    let subscriptions = Coalescing<InFlightQuery, Subscription>()
    let verdicts = Coalescing<InFlightQuery, EditionVerdict?>()
    let lookups = Coalescing<InFlightQuery, ReaderLookup>()
    let completions = Coalescing<InFlightQuery, Void>()

    /// The number of callers that shared the result of another caller's query.
    var shared: Int {
        authentications.shared + subscriptions.shared + verdicts.shared + lookups.shared + completions.shared
    }

    /// Makes later callers start new queries.
    func forget() {
        authentications.forgetInFlight()
        subscriptions.forgetInFlight()
        verdicts.forgetInFlight()
        lookups.forgetInFlight()
        completions.forgetInFlight()
    }
}
