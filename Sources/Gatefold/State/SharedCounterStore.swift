public import Foundation

/// A store of the counters that all nodes of a state share, such as those of wrong login attempts.
///
/// An empty counter is pruned with the rest of the state. A counter is a leaky bucket: its limit is both the burst and the long-term rate per window.
public protocol SharedCounterStore: Sendable {
    /// Counts one event with each counter that has room. Other nodes that count at the same time never exceed the limit
    /// together.
    ///
    /// Source: Pitfall 26, “Check, then act, across a lock”.
    ///
    /// - Parameters:
    ///   - counters: Counters with different keys.
    ///   - window: The window of all of them in seconds.
    /// - Returns: The level of each counter, in the same order.
    func charge(_ counters: [SharedCounter], window: TimeInterval) async throws -> [SharedCounterLevel]

    /// Returns the level of each counter, in the same order, without an event. It includes the events that other nodes
    /// are counting at this moment, for which the call waits.
    func levels(of counters: [SharedCounter], window: TimeInterval) async throws -> [SharedCounterLevel]

    /// Removes the events of counters.
    func emptyCounters(_ keys: [[UInt8]]) async throws
}

/// A counter with its limit.
public struct SharedCounter: Sendable, Hashable {
    /// The name of the counter: bytes that identify no person without a key.
    public let key: [UInt8]
    /// The number of events per window.
    public let limit: Int

    public init(key: [UInt8], limit: Int) {
        self.key = key
        self.limit = max(1, limit)
    }

    /// The number of seconds after which one event no longer counts.
    package func cost(in window: TimeInterval) -> TimeInterval { window / TimeInterval(limit) }
}

/// The level of a shared counter.
public struct SharedCounterLevel: Sendable, Equatable {
    /// The number of seconds until the counter is empty.
    public let debt: TimeInterval
    /// A Boolean value that indicates whether the counter had room for the event.
    public let hadRoom: Bool

    public init(debt: TimeInterval, hadRoom: Bool) {
        self.debt = debt
        self.hadRoom = hadRoom
    }
}
