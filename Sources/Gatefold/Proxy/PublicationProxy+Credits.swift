/// Purchases that are credited to an account of the provider, rather than opening something to read.
extension PublicationProxy {
    /// Takes in a receipt whose purchase is to be credited (PROTOCOLS 4): once, and to one account only.
    ///
    /// - Parameter app: the app's bundle identifier or package name, where the app says it.
    /// - Throws: ``Unavailable`` when the ledger could not keep it.
    public func credit(
        _ receipt: StoreReceipt, from kind: StoreKind, app: String? = nil, to credit: Credit
    ) async throws -> Confirmation {
        guard let purchases else { return .refused(ReceiptRefusal(.noStore)) }
        return try await purchases.confirm(
            receipt, from: kind, app: app, owner: references.owner(account: credit.account, of: publication.id),
            credit: credit, claims: .exclusive)
    }
}
