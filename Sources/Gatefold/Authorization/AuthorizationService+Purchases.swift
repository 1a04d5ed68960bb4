import Foundation
import Primitives

/// Access for readers without a token: an installation of an app, or an account.
extension AuthorizationService {
    /// Returns the subscription that the owner's purchases open under the publication's policy, or nil if they open
    /// nothing.
    ///
    /// - Throws: ``Unavailable`` if the ledger was unavailable, or before the catalogue is loaded.
    func purchased(by owner: PurchaseOwner) async throws -> Subscription? {
        guard let purchaseSource else { return nil }
        let holdings = try await purchaseSource.holdings(of: owner, in: try catalogue())
        return publication.rule.subscription(of: holdings, at: clock.now)
    }

    /// Returns the subscription of an installation or an account: the purchases of its person, merged with the
    /// subscription of the linked subscriber. It is the same subscription that this subscriber has by token.
    ///
    /// - Throws: ``Unavailable`` if the ledger or the subscriber system was unavailable.
    public func subscription(of owner: PurchaseOwner, _ context: CallContext) async throws -> Subscription {
        guard purchaseSource != nil else { return Subscription(state: .unknown) }
        var linked: Subscriber?
        do {
            var all: [Subscription] = []
            if let own = try await purchased(by: owner) { all.append(own) }
            linked = try await subscriber(linkedWith: owner)
            if let linked { all.insert(try await reported(about: linked, context).value, at: 0) }
            // Free editions are available even without purchases.
            guard !all.isEmpty else { return try applyingRule(to: Subscription(state: .inactive)) }
            return Subscription.merged(all)
        } catch let failure as Unavailable {
            throw refused(
                failure, .access, of: linked.map { pseudonymKey.reference(to: $0) }, by: linked?.backend)
        }
    }

    /// Returns short-lived credentials for an installation or an account. A free edition, a purchase or the linked
    /// subscriber can open the edition. The same editions open for this subscriber by token.
    ///
    /// - Throws: ``Unavailable``.
    public func editionCredentials(
        for edition: EditionID, of owner: PurchaseOwner, _ context: CallContext
    ) async throws -> CredentialsResult {
        var linked: Subscriber?
        do {
            let decision = try await decide(on: edition, for: owner) {
                linked = try await subscriber(linkedWith: owner)
                guard let linked else { return .rejected(EditionRejection(.notEntitled, .notIncluded)) }
                let fetched = try await verdict(on: edition, for: linked, context) {
                    try await reported(about: linked, context)
                }
                return fetched.value.settled(by: linked.backend, fetched.freshness)
            }
            switch decision {
            case .granted: return try unverifiedDownloadToken(for: edition, to: owner.description, context)
            case .rejected(let rejection):
                let subscriber = linked.map { pseudonymKey.reference(to: $0) }
                return reject(rejection.notEntitled, of: edition, subscriber, context)
            }
        } catch let failure as Unavailable {
            throw refused(
                failure, .editionCredentials, of: linked.map { pseudonymKey.reference(to: $0) }, edition: edition,
                by: linked?.backend)
        }
    }

    /// Returns the linked subscriber, or nil if there is none or the publication no longer queries the subscriber's
    /// system.
    private func subscriber(linkedWith owner: PurchaseOwner) async throws -> Subscriber? {
        guard let subscriber = try await purchaseSource?.subscriber(linkedWith: owner, pseudonymKey: pseudonymKey),
            backend.handles(subscriber.backend)
        else { return nil }
        return subscriber
    }

    /// Returns the subscription of a linked subscriber from the subscriber system, under the publication's policy.
    private func reported(about subscriber: Subscriber, _ context: CallContext) async throws -> Fetched<Subscription> {
        try await queryBackend { try await backend.subscription(of: subscriber, context: context) }.map(applyingRule)
    }

    /// Issues credentials whose owner is no subscriber of a backend, without a check of the entitlement: the caller
    /// has verified that the owner may open the edition. The salt is always sealed, because the
    /// credentials travel in URLs.
    package func unverifiedDownloadToken(for edition: EditionID, to key: String, _ context: CallContext) throws
        -> CredentialsResult
    {
        let subscriber = Subscriber(backend: Subscriber.purchasesBackend, key: key)
        let principal = pseudonymKey.reference(to: subscriber)
        let session = SessionPseudonym(pseudonymKey.reference(toDevice: key))
        let subject = SaltSubject(
            subscriber: principal, session: session, issuedAt: timestamp(of: session, for: principal))
        let result = try grant(
            edition, CredentialSubject(subject, subscriber: subscriber), context,
            lifetime: publication.lifetimes.downloadToken,
            isSealed: true)
        observe(.credentialsIssued(principal, edition))
        // Only an owner can be looked up. A receipt without an account belongs to nobody. Anyone can name an owner.
        if PurchaseOwner(key) != nil {
            timeline?.recordUnverified(
                TimelineEvent(.credentialsIssued, in: publication.id, edition: edition), of: .subscriber(principal),
                client: context.client)
        }
        return result
    }
}
