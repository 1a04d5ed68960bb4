/// The readers' purchases in one publication, as far as decisions depend on them.
///
/// The module `Commerce` has the implementation, so that the core knows neither stores nor receipts.
public protocol PurchaseSource: PurchaseErasing {
    /// Returns the current holdings of the owner.
    ///
    /// - Throws: ``Unavailable`` if the ledger was unavailable.
    func holdings(of owner: PurchaseOwner, in catalogue: Catalogue) async throws -> Holdings

    /// Returns the subscriber that the owner is linked with, or nil if there is none.
    ///
    /// - Throws: ``Unavailable`` if the ledger was unavailable.
    func subscriber(linkedWith owner: PurchaseOwner, pseudonymKey: PseudonymKey) async throws -> Subscriber?
}

/// A place in which the purchases of an owner are erased.
public protocol PurchaseErasing: Sendable {
    /// Erases an owner with its receipts and claims.
    ///
    /// - Returns: The number of removed records.
    @discardableResult
    func erase(_ owner: PurchaseOwner) async throws -> Int
}
