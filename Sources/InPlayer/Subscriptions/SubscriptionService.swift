/// What is paid for again and again.
public struct SubscriptionService: Sendable {
    let calls: Calls
    let services: String

    /// Those of whoever is signed in.
    ///
    /// - Parameters:
    ///   - page: from 0.
    ///   - limit: subscriptions of a page.
    public func list(page: Int = 0, limit: Int = 15) async throws(InPlayerError) -> Page<PaidSubscription> {
        var endpoint = Endpoint(.get, "subscriptions", authorization: .required)
        endpoint.query.add("page", page)
        endpoint.query.add("limit", limit)
        return try await calls.model(endpoint)
    }

    /// Ends a subscription: what was paid for stays until it runs out, and nothing is charged any more.
    ///
    /// - Throws: ``InPlayerError/invalid(_:)`` for one that can not be ended from here, or whose address is not the
    ///   service's: the access token is for nobody else.
    public func cancel(_ subscription: PaidSubscription) async throws(InPlayerError) {
        guard let url = subscription.unsubscribeURL, let address = WebAddress(url), let own = WebAddress(services),
            address.isOfSameOrigin(as: own)
        else { throw .invalid("expected a subscription with an address of the service's that ends it") }
        _ = try await calls.answer(.required) { token in
            TransportRequest(method: "GET", url: url, headers: Endpoint.headers(token: token))
        }
    }
}
