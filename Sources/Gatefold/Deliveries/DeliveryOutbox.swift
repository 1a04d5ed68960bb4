public import Foundation

/// What is to be delivered, kept in the same transaction as the purchase it is for (see
/// ``PurchaseLedger/settle(_:proving:claims:delivering:at:)``), until it was.
public protocol DeliveryOutbox: Sendable {
    /// Deliveries of a publication that are due, the oldest first; none whose purchase was taken back.
    func deliveriesDue(in publication: PublicationID, at moment: Date, limit: Int) async throws -> [DeliveryRecord]

    /// Takes one that is due for an attempt, which is on record before it is made: of many workers one has it. It is due again
    /// when the lease ends, whatever became of the worker.
    ///
    /// - Parameter lease: names the attempt; no other has the same.
    /// - Returns: whether it is due: it was not delivered yet, nor taken by another, its purchase was not taken back, and its
    ///   account not erased.
    func claim(_ id: Delivery.ID, lease: [UInt8], at moment: Date, until end: Date) async throws -> Bool

    /// Gives one back that was taken, and not tried: it counts as no attempt.
    func release(_ id: Delivery.ID, lease: [UInt8], at moment: Date) async throws

    /// Notes that its carrier delivered it: it is never due again, also when it was taken back meanwhile.
    ///
    /// - Returns: whether it was not on record as delivered until then.
    @discardableResult
    func delivered(_ id: Delivery.ID, at moment: Date) async throws -> Bool

    /// Notes that an attempt failed. One whose lease has passed to another changes nothing.
    ///
    /// - Parameters:
    ///   - moment: the present. Should the clock be set back behind it, the delivery is due at once: for how long it is to
    ///     wait is then unknown.
    ///   - next: when it is due again.
    func deliveryFailed(
        _ id: Delivery.ID, lease: [UInt8], cause: String, at moment: Date, next: Date
    ) async throws

    /// Notes that an operator had one that waits delivered by other means. What does not wait is left as it is.
    ///
    /// - Returns: whether it waited until then.
    func settleDelivery(_ id: Delivery.ID, at moment: Date) async throws -> Bool

    /// Makes one that waits due at a moment of an operator's choice; one that is being tried is due when that fails. How often
    /// and why it failed stays on record.
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
