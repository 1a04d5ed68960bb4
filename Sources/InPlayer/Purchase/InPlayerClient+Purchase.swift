import Foundation

extension InPlayerClient {
    /// Buys access to an item: queries the current access, sells the product through the app store, submits its
    /// receipt, and waits for access.
    ///
    /// Source: InPlayer protocol, “Purchase sequence”.
    ///
    /// - Parameters:
    ///   - item: The number of the item.
    ///   - accessFee: The identifier of the access fee that the reader pays.
    ///   - awaiting: How the call waits for access after the receipt.
    ///   - progress: A closure that receives each step at its start.
    ///   - store: A closure that sells the product and returns the receipt. It is not called if there already is
    ///     access.
    /// - Throws: ``PurchaseError`` after the call to the store, ``InPlayerError`` before.
    @discardableResult
    public func purchase(
        item: Int, accessFee: Int, awaiting: AccessWaitPolicy = .notified(),
        progress: @Sendable (PurchaseProgress) -> Void = { _ in },
        from store: @Sendable () async throws -> StoreReceipt
    ) async throws -> ItemAccess {
        progress(.checkingAccess)
        if let access = try await assets.accessIfAny(to: item) {
            progress(.granted)
            return access
        }
        progress(.buying)
        let receipt: StoreReceipt
        do {
            receipt = try await store()
        } catch {
            throw PurchaseError.notBought(error)
        }
        return try await finish(
            receipt, for: .fee(item: item, accessFee: accessFee), item: item, awaiting: awaiting, progress: progress)
    }

    /// Continues a purchase from its receipt: submits the receipt and waits for access. A repeated call is
    /// harmless.
    ///
    /// - Throws: ``PurchaseError``.
    @discardableResult
    public func finish(
        _ receipt: StoreReceipt, for product: StoreProduct, item: Int, awaiting: AccessWaitPolicy = .notified(),
        progress: @Sendable (PurchaseProgress) -> Void = { _ in }
    ) async throws -> ItemAccess {
        progress(.submitting)
        do throws(InPlayerError) {
            try await payments.validate(receipt, for: product)
        } catch {
            // The receipt may have been accepted earlier, if the response to the first submission was lost.
            if let access = try? await assets.accessIfAny(to: item) {
                progress(.granted)
                return access
            }
            // Only this error of the service itself is a rejection of the receipt.
            if case .rejected(let fault) = error, fault.status == 422, fault.isServiceError, !fault.isClientError {
                throw PurchaseError.rejected(receipt, nil, fault)
            }
            throw PurchaseError.notSubmitted(receipt, error)
        }
        progress(.awaitingAccess)
        let access = try await AccessPoller(client: self, item: item, waiting: awaiting).value(receipt)
        progress(.granted)
        return access
    }
}
