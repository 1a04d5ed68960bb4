public import Commerce
public import Foundation

extension DeliveryOutbox {
    /// Claims one delivery, and returns whether it was due.
    public func claim(_ id: Delivery.ID, lease: [UInt8], at timestamp: Date, until end: Date) async throws -> Bool {
        try await claim([id], lease: lease, at: timestamp, until: end) == [id]
    }

    /// Records one delivery, and returns whether it was not recorded yet.
    @discardableResult
    public func delivered(_ id: Delivery.ID, at timestamp: Date) async throws -> Bool {
        try await delivered([id], at: timestamp) == [id]
    }
}
