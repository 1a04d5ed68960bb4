public import Foundation

/// What is to be delivered, kept in the same transaction as the purchase it is for (see
/// ``PurchaseLedger/settle(_:proving:claims:delivering:at:)``), until it was.
public protocol DeliveryOutbox: Sendable {
    /// Deliveries of a publication that are due, the oldest first; none whose purchase was taken back.
    func deliveriesDue(in publication: PublicationID, at moment: Date, limit: Int) async throws -> [DeliveryRecord]

    /// Notes that it was delivered: it is never due again.
    ///
    /// - Returns: whether it waited until then.
    @discardableResult
    func delivered(_ id: Delivery.ID, at moment: Date) async throws -> Bool

    /// Notes that it could not be delivered yet.
    func deliveryFailed(_ id: Delivery.ID, cause: String, next: Date) async throws

    /// Makes one that waits due at a moment of an operator's choice. How often and why it failed stays on record.
    ///
    /// - Returns: whether it waits.
    func retryDelivery(_ id: Delivery.ID, at moment: Date) async throws -> Bool

    /// The latest deliveries of a publication, for its operator.
    ///
    /// - Parameter waiting: only those that wait.
    func deliveries(in publication: PublicationID, waiting: Bool, limit: Int) async throws -> [DeliveryRecord]
}

/// Hands out what was bought.
public protocol DeliveryCarrier: Sendable {
    /// Returns when it is delivered, or was before: asked twice about one ``Delivery/ID`` it delivers once.
    ///
    /// - Throws: when it is not known to be delivered.
    func deliver(_ delivery: Delivery) async throws
}
