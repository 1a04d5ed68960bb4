import Foundation
import Synchronization

/// A limiter for the records of device use. One record per hour is enough to find the least recently used device.
///
/// Its memory is bounded: when it is full, it discards the older half. Each discarded device may then be recorded
/// once too early.
final class DeviceUseThrottle: Sendable {
    static let minWriteInterval: TimeInterval = 3600
    private struct Use: Hashable {
        let device: DevicePseudonym
        let subscriber: SubscriberPseudonym
    }

    private struct Contents {
        var recent: [Use: TimeInterval] = [:]
        /// The older half. A device that is still in use returns to `recent` with its next record.
        var older: [Use: TimeInterval] = [:]

        func last(_ use: Use) -> TimeInterval? { recent[use] ?? older[use] }
    }

    private let capacity: Int
    private let noted = Mutex(Contents())

    /// Creates a limiter.
    ///
    /// - Parameter capacity: The maximum number of devices whose last record is cached. Default: 1,000,000, which
    ///   takes about 100 MB when full.
    init(capacity: Int = 1_000_000) {
        self.capacity = capacity
    }

    /// Returns whether a record is due, measured by a monotonic clock. If the result is `true`, the next record is
    /// due after ``minWriteInterval``.
    func isDue(_ device: DevicePseudonym, of subscriber: SubscriberPseudonym, at timestamp: TimeInterval) -> Bool {
        let use = Use(device: device, subscriber: subscriber)
        let (isDue, evicted) = noted.withLock { noted in
            var evicted: [Use: TimeInterval] = [:]
            if let last = noted.last(use), timestamp - last < Self.minWriteInterval { return (false, evicted) }
            if noted.recent.count >= capacity / 2 {
                (evicted, noted.older) = (noted.older, noted.recent)
                noted.recent = [:]
            }
            noted.recent[use] = timestamp
            return (true, evicted)
        }
        // Frees the discarded entries outside the lock, so that no thread waits for it.
        withExtendedLifetime(evicted) {}
        return isDue
    }
}
