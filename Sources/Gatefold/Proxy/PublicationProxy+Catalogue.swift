/// The catalogue, for whoever decides or renders by it.
extension PublicationProxy {
    /// - Throws: ``Unavailable`` while it is awaited: an app would take an empty shelf, or an empty list of what it may read, for
    ///   the truth, and delete what it has (PROTOCOLS 2.2, 2.3).
    public func catalogue() throws(Unavailable) -> Catalogue {
        let catalogue = publication.rule.catalogue
        if catalogue.isAwaited { throw .awaitingCatalogue }
        return catalogue
    }

    /// The subscription under the publication's policy.
    ///
    /// - Throws: ``Unavailable`` while the catalogue is awaited, where a list of editions would lack those that only the catalogue
    ///   knows: the free ones, and those of a period.
    func applyingRule(to told: Subscription) throws(Unavailable) -> Subscription {
        // Asked first: the catalogue may come in between.
        let isAwaited = publication.rule.catalogue.isAwaited
        let subscription = publication.rule.apply(to: told, at: clock.now)
        guard isAwaited, [.active, .inactive].contains(subscription.state),
            subscription.entitlement != .allEditions
        else { return subscription }
        throw .awaitingCatalogue
    }
}

extension Unavailable {
    /// Nothing is known of the catalogue yet.
    public static let awaitingCatalogue = Unavailable(retryAfter: 30, cause: "the catalogue has not come yet")
}
