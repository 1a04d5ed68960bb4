public import Gatefold

/// Purchases that are credited to an account of the provider and open no edition.
extension AuthorizationService {
    /// Accepts a receipt whose purchase is credited once, and to one account only.
    ///
    /// Source: Cloud Softphone protocol, “Delivery and repeated receipts”.
    ///
    /// - Parameters:
    ///   - receipt: The receipt.
    ///   - kind: The kind of store.
    ///   - app: The app's bundle identifier or package name, if the app sends it.
    ///   - credit: The account to credit.
    /// - Throws: `Unavailable` if the ledger could not store the receipt.
    public func credit(
        _ receipt: StoreReceipt, from kind: StoreKind, app: String? = nil, to credit: Credit
    ) async throws -> Confirmation {
        guard let purchases else { return .rejected(ReceiptRejection(.noStore)) }
        return try await purchases.confirm(
            receipt, from: kind, app: app, owner: pseudonymKey.owner(account: credit.account, of: publication.id),
            credit: credit, claims: .exclusive)
    }
}
