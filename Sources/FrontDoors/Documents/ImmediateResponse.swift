package import Gatefold

/// A response that is known without a query to a backend, for the time of its validity.
package struct ImmediateResponse: Sendable {
    package let response: BufferedResponse
    /// The route of its request, as the router would name it.
    package let route: String
    package let validity: CacheValidity
    package let reusability: Reusability
    /// Commits the counters and cache entries of the response. Call it each time the response is sent.
    package let commit: @Sendable () -> Void

    package init(
        _ response: BufferedResponse, route: String, validity: CacheValidity, reusability: Reusability = .same,
        commit: @escaping @Sendable () -> Void
    ) {
        self.response = response
        self.route = route
        self.validity = validity
        self.reusability = reusability
        self.commit = commit
    }
}
