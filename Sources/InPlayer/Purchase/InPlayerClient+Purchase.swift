import Foundation

extension InPlayerClient {
    /// Buys access to an item: asks whether there is access already, has the app store sell the product, hands its receipt
    /// in, and waits until there is access (PROTOCOLS 5.5, the flow).
    ///
    /// - Parameters:
    ///   - store: sells the product and returns the receipt. It is not called when there is access already.
    ///   - progress: told of each step as it begins.
    /// - Throws: ``PurchaseError`` once the store was asked, ``InPlayerError`` before.
    @discardableResult
    public func purchase(
        item: Int, accessFee: Int, awaiting: AccessWaiting = .notified(),
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

    /// Goes on with a purchase from its receipt: hands it in and waits for access. Doing so twice does no harm.
    ///
    /// - Throws: ``PurchaseError``.
    @discardableResult
    public func finish(
        _ receipt: StoreReceipt, for product: StoreProduct, item: Int, awaiting: AccessWaiting = .notified(),
        progress: @Sendable (PurchaseProgress) -> Void = { _ in }
    ) async throws -> ItemAccess {
        progress(.submitting)
        do throws(InPlayerError) {
            try await payments.validate(receipt, for: product)
        } catch {
            // Taken in before: the answer to the first time got lost.
            if let access = try? await assets.accessIfAny(to: item) {
                progress(.granted)
                return access
            }
            // Only the service itself speaks of the receipt, and only so.
            if case .refused(let fault) = error, fault.status == 422, fault.isServicesOwn, !fault.blamesClient {
                throw PurchaseError.refused(receipt, nil, fault)
            }
            throw PurchaseError.notSubmitted(receipt, error)
        }
        progress(.awaitingAccess)
        let access = try await AccessWait(client: self, item: item, waiting: awaiting).value(receipt)
        progress(.granted)
        return access
    }
}
