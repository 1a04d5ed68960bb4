import Foundation

/// Access for readers without a token: an installation of an app, an account, or the bearer of a receipt.
extension AuthorizationService {
    /// Returns the subscription that the owner's purchases open under the publication's policy, or nil if they open
    /// nothing.
    ///
    /// - Throws: ``Unavailable`` if the ledger was unavailable, or before the catalogue is loaded.
    func purchased(by owner: PurchaseOwner) async throws -> Subscription? {
        guard let purchases else { return nil }
        let holdings = try await purchases.holdings(of: owner, in: try catalogue())
        return publication.rule.subscription(of: holdings, at: clock.now)
    }

    /// Returns the subscription of an installation or an account: the purchases of its person, merged with the
    /// subscription of the linked subscriber. It is the same subscription that this subscriber has by token.
    ///
    /// - Throws: ``Unavailable`` if the ledger or the subscriber system was unavailable.
    public func subscription(of owner: PurchaseOwner, _ context: CallContext) async throws -> Subscription {
        guard purchases != nil else { return Subscription(state: .unknown) }
        var all: [Subscription] = []
        if let own = try await purchased(by: owner) { all.append(own) }
        if let subscriber = try await subscriber(linkedWith: owner) {
            all.insert(try await reported(about: subscriber, context), at: 0)
        }
        // Free editions are available even without purchases.
        guard !all.isEmpty else {
            return try applyingRule(to: Subscription(state: .inactive))
        }
        return Subscription.merged(all)
    }

    /// Returns short-lived credentials for an installation or an account. A free edition, a purchase or the linked
    /// subscriber can open the edition. The same editions open for this subscriber by token.
    ///
    /// - Throws: ``Unavailable``.
    public func editionCredentials(
        for edition: EditionID, of owner: PurchaseOwner, _ context: CallContext
    ) async throws -> CredentialsResult {
        let decision = try await decide(on: edition, for: owner) {
            guard let subscriber = try await subscriber(linkedWith: owner) else {
                return .rejected(.notEntitled, message: nil)
            }
            return try await verdict(on: edition, for: subscriber, context) {
                try await reported(about: subscriber, context)
            }
        }
        switch decision {
        case .granted: return try downloadToken(for: edition, to: owner.description, context)
        case .rejected(_, let messageText): return reject(.notEntitled, messageText ?? message(.notEntitled, context))
        }
    }

    /// Returns the linked subscriber, or nil if there is none or the publication no longer queries the subscriber's
    /// system.
    private func subscriber(linkedWith owner: PurchaseOwner) async throws -> Subscriber? {
        guard let subscriber = try await purchases?.subscriber(linkedWith: owner, pseudonymKey: pseudonymKey),
            backend.handles(subscriber.backend)
        else { return nil }
        return subscriber
    }

    /// Returns the subscription of a linked subscriber from the subscriber system, under the publication's policy.
    private func reported(about subscriber: Subscriber, _ context: CallContext) async throws -> Subscription {
        let reported = try await queryBackend { try await backend.subscription(of: subscriber, context: context) }
        return try applyingRule(to: reported)
    }

    /// Returns the subscription that the purchases of a receipt open on their own.
    ///
    /// - Parameter transactions: The transactions that ``PurchaseService/examine(_:from:app:)`` returns.
    public func subscription(verifiedBy transactions: [StoreTransaction]) -> Subscription {
        let nothing = Subscription(state: .inactive)
        guard let purchases else { return nothing }
        let holdings = purchases.holdings(from: transactions, in: publication.rule.catalogue)
        return publication.rule.subscription(of: holdings, at: clock.now) ?? nothing
    }

    /// Returns credentials for an edition that the purchases of a receipt open.
    ///
    /// - Throws: ``Unavailable`` before the catalogue is loaded.
    public func editionCredentials(
        for edition: EditionID, verifiedBy transactions: [StoreTransaction], _ context: CallContext
    ) throws -> CredentialsResult {
        guard let first = transactions.min(by: { ($0.purchased, $0.original) < ($1.purchased, $1.original) }),
            try catalogue().isPublished(edition, at: clock.now),
            subscription(verifiedBy: transactions).opens(edition)
        else { return reject(.notEntitled, message(.notEntitled, context)) }
        return try downloadToken(for: edition, to: "\(first.store)/\(first.original)", context)
    }

    /// Links an installation or an account with the subscriber of the token, so that both are the same person.
    ///
    /// - Returns: False if the token is not valid, or the publication sells in no store.
    /// - Throws: ``Unavailable``.
    public func link(token: String, with owner: PurchaseOwner) async throws -> Bool {
        guard let purchases, case .good(let principal) = read(token) else { return false }
        try await purchases.link(owner, with: principal.session.subscriber, pseudonymKey: pseudonymKey)
        return true
    }

    /// Issues credentials whose owner is no subscriber of a backend. The salt is always sealed, because the
    /// credentials travel in URLs.
    private func downloadToken(for edition: EditionID, to key: String, _ context: CallContext) throws
        -> CredentialsResult
    {
        let subscriber = Subscriber(backend: Self.purchasesBackend, key: key)
        let principal = pseudonymKey.reference(to: subscriber)
        let session = SessionPseudonym(pseudonymKey.reference(toDevice: key))
        let subject = SaltSubject(
            subscriber: principal, session: session, issuedAt: timestamp(of: session, for: principal))
        let result = try grant(
            edition, CredentialSubject(subject, subscriber: subscriber), context,
            lifetime: publication.lifetimes.downloadToken,
            isSealed: true)
        observe(.credentialsIssued(principal, edition))
        return result
    }

    /// The placeholder for a backend name if only purchases identify the reader. No backend can have this name.
    static let purchasesBackend = "(purchases)"
}
