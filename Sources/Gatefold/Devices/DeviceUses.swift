import Foundation
import Synchronization

/// Spaces out the notes that a device is in use: one an hour is enough to find the longest unused.
///
/// Bounded: the older half is forgotten when it is full, which costs one early note each.
final class DeviceUses: Sendable {
    static let spacing: TimeInterval = 3600
    private struct Use: Hashable {
        let device: DeviceReference
        let subscriber: SubscriberReference
    }

    private struct Contents {
        var recent: [Use: TimeInterval] = [:]
        /// Those of devices that are in use wander back to the recent with their next note.
        var older: [Use: TimeInterval] = [:]

        func last(_ use: Use) -> TimeInterval? { recent[use] ?? older[use] }
    }

    private let capacity: Int
    private let noted = Mutex(Contents())

    /// - Parameter capacity: of so many devices it is known when they were noted; about 100 MB where all of them are used.
    init(capacity: Int = 1_000_000) {
        self.capacity = capacity
    }

    /// Whether it is time for a note by a clock that nobody sets; if so, the next one is due after ``spacing``.
    func isDue(_ device: DeviceReference, of subscriber: SubscriberReference, at moment: TimeInterval) -> Bool {
        let use = Use(device: device, subscriber: subscriber)
        let (isDue, forgotten) = noted.withLock { noted in
            var forgotten: [Use: TimeInterval] = [:]
            if let last = noted.last(use), moment - last < Self.spacing { return (false, forgotten) }
            if noted.recent.count >= capacity / 2 {
                (forgotten, noted.older) = (noted.older, noted.recent)
                noted.recent = [:]
            }
            noted.recent[use] = moment
            return (true, forgotten)
        }
        // Freed only here, where nobody waits for it.
        withExtendedLifetime(forgotten) {}
        return isDue
    }

    /// The same, and nothing is noted.
    func wouldBeDue(_ device: DeviceReference, of subscriber: SubscriberReference, at moment: TimeInterval) -> Bool {
        let last = noted.withLock { $0.last(Use(device: device, subscriber: subscriber)) }
        return last.map { moment - $0 >= Self.spacing } ?? true
    }
}
