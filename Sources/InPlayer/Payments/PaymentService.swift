/// Receipts of the app stores.
public struct PaymentService: Sendable {
    let calls: Calls
    let merchant: InPlayerMerchant

    /// Hands in a receipt. Success says that it was taken in, not that it was good: what becomes of it is told by a
    /// notification, or seen by asking for access (PROTOCOLS 5.5). ``InPlayerClient/purchase(_:from:awaiting:progress:)``
    /// does all of it.
    ///
    /// - Returns: what the service says, such as "Submitted for payment".
    @discardableResult
    public func validate(_ receipt: StoreReceipt, for product: StoreProduct) async throws(InPlayerError) -> String {
        var endpoint = Endpoint(
            .post, "v2", "external-payments", receipt.store, "validate", authorization: .required)
        endpoint.body.add("receipt", receipt.receipt)
        switch product {
        case .fee(let item, let fee):
            endpoint.body.add("item_id", item)
            endpoint.body.add("access_fee_id", fee)
        case .named(let name):
            endpoint.body.add("product_name", name)
        }
        if case .amazon(_, let user) = receipt { endpoint.body.add("amazon_user_id", user) }
        endpoint.body.add("branding_id", merchant.brandingID)
        return try await calls.answer(endpoint)["message"]?.text ?? ""
    }
}
