/// Operations on receipts of the app stores.
public struct PaymentService: Sendable {
    let calls: Calls
    let merchant: InPlayerMerchant

    /// Submits a receipt. Success means that the service accepted the receipt for processing, not that the receipt
    /// is valid. The result arrives in a notification, or shows in the access to the item.
    /// ``InPlayerClient/purchase(item:accessFee:awaiting:progress:from:)`` performs the whole sequence.
    ///
    /// Source: InPlayer protocol, “Receipt validation”.
    ///
    /// - Returns: The message of the service, such as "Submitted for payment".
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
        return try await calls.response(endpoint)["message"]?.text ?? ""
    }
}
