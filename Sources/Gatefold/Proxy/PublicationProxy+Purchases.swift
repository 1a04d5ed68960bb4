import Foundation

/// What readers have whom no token names: an installation of an app, an account, or the bearer of a receipt.
extension PublicationProxy {
    /// What somebody's own purchases open under the publication's policy; nil where they open nothing.
    ///
    /// - Throws: ``Unavailable`` when the ledger could not be asked, and while the catalogue is awaited.
    func purchased(by owner: PurchaseOwner) async throws -> Subscription? {
        guard let purchases else { return nil }
        let holdings = try await purchases.holdings(of: owner, in: try catalogue())
        return publication.rule.subscription(of: holdings, at: clock.now)
    }

    /// What an installation or an account may read: its person's purchases, and the subscription of the subscriber it is
    /// linked with. The same as that subscriber has by token.
    ///
    /// - Throws: ``Unavailable`` when ledger or subscriber system could not be asked.
    public func subscription(of owner: PurchaseOwner, _ inquiry: Inquiry) async throws -> Subscription {
        guard purchases != nil else { return Subscription(state: .unknown) }
        var all: [Subscription] = []
        if let own = try await purchased(by: owner) { all.append(own) }
        if let subscriber = try await subscriber(linkedWith: owner) {
            all.insert(try await told(about: subscriber, inquiry), at: 0)
        }
        // Nobody bought anything: free editions are there for all the same.
        guard !all.isEmpty else {
            return try applyingRule(to: Subscription(state: .inactive))
        }
        return Subscription.merged(all)
    }

    /// Short-lived credentials for an installation or an account, where a free edition, its purchases, or the subscriber it
    /// is linked with open the edition: the same editions as that subscriber has by token.
    ///
    /// - Throws: ``Unavailable``.
    public func editionCredentials(
        for edition: EditionID, of owner: PurchaseOwner, _ inquiry: Inquiry
    ) async throws -> CredentialsAnswer {
        let decision = try await decide(on: edition, for: owner) {
            guard let subscriber = try await subscriber(linkedWith: owner) else {
                return .refused(.notEntitled, message: nil)
            }
            return try await verdict(on: edition, for: subscriber, inquiry) {
                try await told(about: subscriber, inquiry)
            }
        }
        switch decision {
        case .granted: return try ticket(for: edition, to: owner.description, inquiry)
        case .refused(_, let words): return refuse(.notEntitled, words ?? message(.notEntitled, inquiry))
        }
    }

    /// Nil also where the subscriber is of a system that this publication no longer asks.
    private func subscriber(linkedWith owner: PurchaseOwner) async throws -> Subscriber? {
        guard let subscriber = try await purchases?.subscriber(linkedWith: owner, references: references),
            backend.answersFor(subscriber.backend)
        else { return nil }
        return subscriber
    }

    /// What the subscriber system says of somebody who is linked, under the publication's policy.
    private func told(about subscriber: Subscriber, _ inquiry: Inquiry) async throws -> Subscription {
        let told = try await ask { try await backend.subscription(of: subscriber, inquiry: inquiry) }
        return try applyingRule(to: told)
    }

    /// What a receipt's purchases open by themselves.
    ///
    /// - Parameter transactions: as ``PurchaseDesk/examine(_:from:app:)`` returns them.
    public func subscription(provenBy transactions: [StoreTransaction]) -> Subscription {
        let nothing = Subscription(state: .inactive)
        guard let purchases else { return nothing }
        let holdings = purchases.holdings(from: transactions, in: publication.rule.catalogue)
        return publication.rule.subscription(of: holdings, at: clock.now) ?? nothing
    }

    /// Credentials for an edition that a receipt's purchases open.
    ///
    /// - Throws: ``Unavailable`` while the catalogue is awaited.
    public func editionCredentials(
        for edition: EditionID, provenBy transactions: [StoreTransaction], _ inquiry: Inquiry
    ) throws -> CredentialsAnswer {
        guard let first = transactions.min(by: { ($0.purchased, $0.original) < ($1.purchased, $1.original) }),
            try catalogue().isOut(edition, at: clock.now),
            subscription(provenBy: transactions).opens(edition)
        else { return refuse(.notEntitled, message(.notEntitled, inquiry)) }
        return try ticket(for: edition, to: "\(first.store)/\(first.original)", inquiry)
    }

    /// Makes an installation or an account the same person as the subscriber whom the token names.
    ///
    /// - Returns: false when the token is not good, or the publication sells in no store.
    /// - Throws: ``Unavailable``.
    public func link(token: String, with owner: PurchaseOwner) async throws -> Bool {
        guard let purchases, case .good(let who) = read(token) else { return false }
        try await purchases.link(owner, with: who.session.subscriber, references: references)
        return true
    }

    /// Credentials whose holder is no subscriber of a backend. Their salt is always sealed: they travel in URLs.
    private func ticket(for edition: EditionID, to key: String, _ inquiry: Inquiry) throws -> CredentialsAnswer {
        let subscriber = Subscriber(backend: Self.purchasesBackend, key: key)
        let who = references.reference(to: subscriber)
        let session = SessionReference(references.reference(toDevice: key))
        let holder = SaltHolder(subscriber: who, session: session, issuedAt: moment(of: session, for: who))
        let answer = try grant(
            edition, Grantee(holder, subscriber: subscriber), inquiry, lifetime: publication.lifetimes.ticket,
            isSealed: true)
        observe(.credentialsIssued(who, edition))
        return answer
    }

    /// The name that stands for a backend where purchases alone say who somebody is; not one that a backend can have.
    static let purchasesBackend = "(purchases)"
}
