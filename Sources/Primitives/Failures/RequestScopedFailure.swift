/// A failure that may concern a single query: the backend responded, but its result for one reader or edition was
/// unintelligible. A client that chooses the subject of the query must not be able to cause an outage with it.
package protocol RequestScopedFailure: BackendFailure {
    /// A Boolean value that indicates whether the failure reveals nothing about the next query. The circuit breaker
    /// then ignores it.
    var isRequestScoped: Bool { get }
}
