public import Foundation
public import Gatefold

/// The queue of pending deliveries.
///
/// A delivery is stored in the same transaction as its purchase (see
/// ``TransactionLedger/settle(_:proving:claims:delivering:at:)``) and remains in the queue until it is delivered.
public protocol DeliveryOutbox: Sendable {
    /// Returns the due deliveries of a publication, oldest first. Deliveries of refunded purchases are not
    /// included.
    func deliveriesDue(in publication: PublicationID, at timestamp: Date, limit: Int) async throws -> [DeliveryRecord]

    /// Claims due deliveries for an attempt of each.
    ///
    /// The outbox records the claims before the attempts, and only one worker holds them. A delivery is due again
    /// when the lease ends, even if the worker crashed.
    ///
    /// - Parameters:
    ///   - ids: The identifiers of the deliveries.
    ///   - lease: The unique identifier of the attempts.
    ///   - timestamp: The current time.
    ///   - end: The time at which the lease ends.
    /// - Returns: The claimed deliveries. The others are already delivered or claimed by another worker, their purchases
    ///   were refunded, or their accounts were erased.
    func claim(
        _ ids: [Delivery.ID], lease: [UInt8], at timestamp: Date, until end: Date
    ) async throws -> Set<Delivery.ID>

    /// Releases a claimed delivery that was not attempted. The claim does not count as an attempt.
    func release(_ id: Delivery.ID, lease: [UInt8], at timestamp: Date) async throws

    /// Records that the carrier delivered the deliveries. They are never due again, even if their purchases were refunded
    /// meanwhile.
    ///
    /// - Returns: The deliveries that were not yet recorded as delivered.
    @discardableResult
    func delivered(_ ids: [Delivery.ID], at timestamp: Date) async throws -> Set<Delivery.ID>

    /// Records that an attempt failed. The call changes nothing if another worker holds the lease now.
    ///
    /// - Parameters:
    ///   - id: The identifier of the delivery.
    ///   - lease: The identifier of the attempt.
    ///   - cause: The reason of the failure, for the operator.
    ///   - timestamp: The current time. If the clock is later set back before this time, the delivery is due at once,
    ///     because the remaining wait is then unknown.
    ///   - next: The time at which the delivery is due again.
    func deliveryFailed(
        _ id: Delivery.ID, lease: [UInt8], cause: String, at timestamp: Date, next: Date
    ) async throws

    /// Records that an operator delivered a pending delivery by other means. Other deliveries are
    /// unchanged.
    ///
    /// - Returns: `true` if the delivery was pending.
    func settleDelivery(_ id: Delivery.ID, at timestamp: Date) async throws -> Bool

    /// Makes a pending delivery due at a time that an operator chooses.
    ///
    /// If an attempt is in progress, the time applies once that attempt fails. The number of attempts and the last
    /// cause remain recorded.
    ///
    /// - Returns: `true` if the delivery is pending.
    func retryDelivery(_ id: Delivery.ID, at timestamp: Date) async throws -> Bool

    /// Returns the latest deliveries of a publication, for its operator.
    ///
    /// - Parameters:
    ///   - publication: The identifier of the publication.
    ///   - pendingOnly: `true` to return only pending deliveries.
    ///   - position: The last delivery of the page before; nil for the first page.
    ///   - limit: The maximum number of results.
    func deliveries(
        in publication: PublicationID, pendingOnly: Bool, after position: DeliveryPosition?, limit: Int
    ) async throws -> [DeliveryRecord]

    /// Returns the number of pending deliveries of a publication, at most `limit`.
    func pendingDeliveries(in publication: PublicationID, limit: Int) async throws -> Int
}

extension DeliveryOutbox {
    /// Returns the latest deliveries of a publication.
    public func deliveries(
        in publication: PublicationID, pendingOnly: Bool, limit: Int
    ) async throws -> [DeliveryRecord] {
        try await deliveries(in: publication, pendingOnly: pendingOnly, after: nil, limit: limit)
    }
}

/// The place of a delivery in the list of all, which begins with the latest.
public struct DeliveryPosition: Sendable, Hashable {
    public let ordered: Date
    public let id: Delivery.ID

    public init(ordered: Date, id: Delivery.ID) {
        self.ordered = ordered
        self.id = id
    }
}

/// A type that delivers purchased items.
public protocol DeliveryTransport: Sendable {
    /// Delivers a purchased item and returns once it is delivered. A second call with the same ``Delivery/ID`` does
    /// not deliver again.
    ///
    /// - Throws: An error if the delivery is not confirmed.
    func deliver(_ delivery: Delivery) async throws
}
