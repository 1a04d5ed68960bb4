import Primitives

/// Access to the catalogue for decisions and documents.
extension AuthorizationService {
    /// Returns the current catalogue.
    ///
    /// - Throws: ``Unavailable`` before the catalogue is loaded. An app would accept an empty shelf or an empty
    ///   list of purchases as correct, and delete its editions. Source: Baker protocol, “Errors in the shelf
    ///   response” and “Effect of the purchases response”.
    public func catalogue() throws(Unavailable) -> Catalogue {
        let catalogue = publication.rule.catalogue
        if catalogue.isPending { throw .catalogueNotLoaded }
        return catalogue
    }

    /// Returns the subscription under the publication's policy.
    ///
    /// - Throws: ``Unavailable`` before the catalogue is loaded, if the list of editions would lack those that only
    ///   the catalogue knows: the free editions, and the editions of a period.
    func applyingRule(to reported: Subscription) throws(Unavailable) -> Subscription {
        // Read first, because the catalogue may arrive between the two statements.
        let isPending = publication.rule.currentCatalogue.isPending
        let subscription = publication.rule.apply(to: reported, at: clock.now)
        guard isPending, [.active, .inactive].contains(subscription.state),
            subscription.entitlement != .allEditions
        else { return subscription }
        throw .catalogueNotLoaded
    }
}

extension Unavailable {
    /// The error before the catalogue is loaded.
    public static let catalogueNotLoaded = Unavailable(
        .catalogueUnavailable, retryAfter: 30, cause: "the catalogue is not yet available")
}
