public import Foundation

/// A store of the leases under which one process of all does a task.
///
/// A lease is a row with an end, not a lock of a connection or a file, so that it also ends when its owner is paused or
/// its machine fails.
public protocol LeaseStore: Sendable {
    /// Takes a lease, unless another owner has it.
    ///
    /// - Parameters:
    ///   - name: The name of the task.
    ///   - owner: Bytes that are unique to this run of the task.
    ///   - duration: The time in seconds until the lease ends unless it is extended.
    /// - Returns: False if another owner's lease has not ended.
    func takeLease(_ name: String, owner: [UInt8], for duration: TimeInterval) async throws -> Bool

    /// Extends a lease.
    ///
    /// - Returns: False if the lease is lost: another process has it or had it.
    func extendLease(_ name: String, owner: [UInt8], for duration: TimeInterval) async throws -> Bool

    /// Ends a lease. Does nothing if another owner has it.
    func endLease(_ name: String, owner: [UInt8]) async throws
}
