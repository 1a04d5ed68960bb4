public import Foundation

/// A log of the notifications that app stores sent. Data is on disk when a call returns.
///
/// A thrown error means that the ledger was unavailable or could not write. No partial write then remains.
public protocol StoreEventLog: Sendable {
    /// Records a store notification once.
    ///
    /// - Returns: False if the notification was recorded before.
    func take(_ event: StoreEvent, at timestamp: Date) async throws -> Bool
}
