public import Foundation

/// A store of the facts that processes share. A call that returns has written its changes to disk.
public protocol SharedFactStore: Sendable {
    /// Records facts together. Each replaces the stored fact with the same ID.
    ///
    /// Between two processes the later fact applies, regardless of the order in which they write. Within one
    /// process the last written fact applies, even if the clock was set back meanwhile.
    ///
    /// - Parameters:
    ///   - facts: The facts.
    ///   - origin: The identifier of the process, so that it does not read its own facts.
    func record(_ facts: [SharedFact], origin: [UInt8]) async throws

    /// Returns the facts recorded after a position. A store may return a fact again.
    func sharedFacts(
        after position: ChangePosition, excluding origin: [UInt8], limit: Int
    ) async throws -> SharedFactPage

    /// Deletes facts that expired before `timestamp`, and the oldest facts in excess of `limit`.
    func discardSharedFacts(endedBefore timestamp: Date, limit: Int) async throws
}
