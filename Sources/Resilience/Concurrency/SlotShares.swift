package import Foundation
package import Primitives
import Synchronization

/// The part of each backend's concurrency limit that this node may use, if several nodes divide the limits.
///
/// A share is valid for a limited time, so that a node that the others count as lost does not use what they have taken
/// over. It then retains one call at a time.
package final class SlotShares: Sendable {
    private struct State {
        var slots: [String: Int] = [:]
        /// The monotonic time until which the slots are valid.
        var end: TimeInterval = 0
    }

    private let clock: WallClock
    private let state = Mutex(State())

    package init(clock: WallClock) { self.clock = clock }

    /// Sets the number of calls that this node may make at a time, by backend.
    ///
    /// - Parameter end: The monotonic time until which they are valid.
    package func set(_ slots: [String: Int], until end: TimeInterval) {
        state.withLock { $0 = State(slots: slots, end: end) }
    }

    /// Returns the number of calls that this node may make at a time; 0 for a backend that was added since the shares
    /// were set.
    package func slots(of backend: String) -> Int {
        state.withLock { state in
            clock.elapsed < state.end ? state.slots[backend] ?? 0 : 1
        }
    }
}
