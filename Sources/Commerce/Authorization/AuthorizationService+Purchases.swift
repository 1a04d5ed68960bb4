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
        guard let first = transactions.min(by: { ($0.purchased, $0.original) < ($1.purchased, $1.original) }) else {
            return reject(.receiptEmpty, edition, context)
        }
        let catalogue: Catalogue
        do {
            catalogue = try self.catalogue()
        } catch {
            throw refused(error, .editionCredentials, edition: edition)
        }
        guard catalogue.isPublished(edition, at: clock.now) else { return reject(.notYetPublished, edition, context) }
        guard subscription(verifiedBy: transactions).opens(edition) else {
            return reject(catalogue.mayContain(edition) ? .notIncluded : .unknownEdition, edition, context)
        }
        return try unverifiedDownloadToken(for: edition, to: "\(first.store)/\(first.original)", context)
    }

    private func reject(_ reason: RefusalReason, _ edition: EditionID, _ context: CallContext) -> CredentialsResult {
        let key: MessageKey? =
            switch reason {
            case .notYetPublished: .notYetPublished
            case .unknownEdition: .unknownEdition
            default: nil
            }
        return reject(
            .notEntitled, key.flatMap { message($0, context) } ?? message(.notEntitled, context),
            refusal(reason, .editionCredentials, edition: edition))
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
