public import Foundation

/// A store of revocations. A call that returns has written its changes to disk.
///
/// An error means that the store could not be queried or could not store a change.
public protocol RevocationStore: Sendable {
    /// Stores a revocation until all sessions that it ends have expired. It is joined with the stored revocations
    /// of its subscriber (see `SubscriberRevocations`).
    func record(_ revocation: Revocation) async throws

    /// Returns the revocations recorded after a sequence number, in order.
    ///
    /// - Parameters:
    ///   - sequence: The sequence number of the last revocation read; 0 for the first page.
    ///   - limit: The maximum number of rows to read. Minimum: 1.
    func revocations(after sequence: Int64, limit: Int) async throws -> RevocationPage

    /// Returns the floor set when the store was restored, or nil if there is none. Every session issued before the
    /// floor is ended.
    func sessionFloor() async throws -> Date?
}

extension RevocationStore {
    /// Returns nil, for stores that cannot be restored.
    public func sessionFloor() async throws -> Date? { nil }

    /// Returns all revocations recorded after a sequence number, in order. 0 returns all.
    public func revocations(after sequence: Int64) async throws -> [RevocationRecord] {
        var records: [RevocationRecord] = []
        var next: Int64? = sequence
        while let after = next {
            let page = try await revocations(after: after, limit: 1_000)
            records += page.records
            next = page.next
        }
        return records
    }
}
