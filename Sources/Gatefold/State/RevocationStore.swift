public import Foundation

/// A store of revocations. A call that returns has written its changes to disk.
///
/// An error means that the store could not be queried or could not store a change.
public protocol RevocationStore: Sendable {
    /// Stores a revocation until all sessions that it ends have expired. It is joined with the stored revocations
    /// of its subscriber (see `SubscriberRevocations`).
    func record(_ revocation: Revocation) async throws

    /// Stores several revocations, one after another. After an error, some may be stored.
    func record(_ revocations: [Revocation]) async throws

    /// Returns the revocations recorded after a position, in order. A store may return a revocation again after a restore, so
    /// the effect of each is the same however often it is applied.
    ///
    /// - Parameters:
    ///   - position: The end of the previous page, or ``ChangePosition/start``.
    ///   - limit: The maximum number of rows to read. Minimum: 1.
    func revocations(after position: ChangePosition, limit: Int) async throws -> RevocationPage

    /// Returns the revocations with the given sequence numbers that still exist, as one page.
    func revocations(numbered sequences: [Int64]) async throws -> RevocationPage

    /// Returns the floor set when the store was restored, or nil if there is none. Every session issued before the
    /// floor is ended.
    func sessionFloor() async throws -> Date?
}

extension RevocationStore {
    public func record(_ revocations: [Revocation]) async throws {
        for revocation in revocations { try await record(revocation) }
    }

    /// Returns nil, for stores that cannot be restored.
    public func sessionFloor() async throws -> Date? { nil }
}
