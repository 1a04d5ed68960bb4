/// Operations on recurring subscriptions.
public struct SubscriptionService: Sendable {
    let calls: Calls
    let services: String

    /// Returns the subscriptions of the signed-in reader.
    ///
    /// - Parameters:
    ///   - page: The page number, counted from 0.
    ///   - limit: The number of subscriptions on a page.
    public func list(page: Int = 0, limit: Int = 15) async throws(InPlayerError) -> Page<PaidSubscription> {
        var endpoint = Endpoint(.get, "subscriptions", authorization: .required)
        endpoint.query.add("page", page)
        endpoint.query.add("limit", limit)
        return try await calls.model(endpoint)
    }

    /// Cancels a subscription. Access continues to the end of the paid period, and no further payment is charged.
    ///
    /// - Throws: ``InPlayerError/invalid(_:)`` if the subscription cannot be cancelled with this library, or if its
    ///   URL is not an address of the service, because the access token must not be sent to another server.
    public func cancel(_ subscription: PaidSubscription) async throws(InPlayerError) {
        guard let url = subscription.unsubscribeURL, let address = WebAddress(url), let own = WebAddress(services),
            address.hasSameOrigin(as: own)
        else { throw .invalid("expected a subscription with an address of the service that ends it") }
        _ = try await calls.response(.required) { token in
            TransportRequest(method: "GET", url: url, headers: Endpoint.headers(token: token))
        }
    }
}
