public import Gatefold
import Primitives

extension AuthorizationService {
    /// The readers' own purchases, or nil if the publication sells in no store.
    ///
    /// `PurchaseService` is the only source. With another one, receipts and links would silently be ignored.
    public var purchases: PurchaseService? {
        guard let purchaseSource else { return nil }
        guard let service = purchaseSource as? PurchaseService else {
            preconditionFailure("expected a PurchaseService as the source of purchases")
        }
        return service
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
    /// - Throws: `Unavailable` before the catalogue is loaded.
    public func editionCredentials(
        for edition: EditionID, verifiedBy transactions: [StoreTransaction], _ context: CallContext
    ) throws -> CredentialsResult {
        guard let first = transactions.min(by: { ($0.purchased, $0.original) < ($1.purchased, $1.original) }),
            try catalogue().isPublished(edition, at: clock.now),
            subscription(verifiedBy: transactions).opens(edition)
        else { return reject(.notEntitled, message(.notEntitled, context)) }
        return try unverifiedDownloadToken(for: edition, to: "\(first.store)/\(first.original)", context)
    }

    /// Links an installation or an account with the subscriber of the token, so that both are the same person.
    ///
    /// - Returns: False if the token is not valid, or the publication sells in no store.
    /// - Throws: `Unavailable`.
    public func link(token: String, with owner: PurchaseOwner) async throws -> Bool {
        guard let purchases, case .good(let principal) = read(token) else { return false }
        try await purchases.link(owner, with: principal.session.subscriber, pseudonymKey: pseudonymKey)
        return true
    }
}
