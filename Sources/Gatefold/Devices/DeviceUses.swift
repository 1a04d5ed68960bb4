import Foundation
import Synchronization

/// Spaces out the notes that a device is in use: one an hour is enough to find the longest unused.
final class DeviceUses: Sendable {
    static let spacing: TimeInterval = 3600
    static let capacity = 100_000
    private struct Use: Hashable {
        let device: DeviceReference
        let subscriber: SubscriberReference
    }

    private let noted = Mutex<[Use: Date]>([:])

    /// Whether it is time for a note; if so, the next one is due after ``spacing``.
    func isDue(_ device: DeviceReference, of subscriber: SubscriberReference, at moment: Date) -> Bool {
        let use = Use(device: device, subscriber: subscriber)
        return noted.withLock { noted in
            if let last = noted[use], moment.timeIntervalSince(last) < Self.spacing { return false }
            // Forgetting costs one early note each.
            if noted.count >= Self.capacity { noted.removeAll() }
            noted[use] = moment
            return true
        }
    }

    /// The same, and nothing is noted.
    func wouldBeDue(_ device: DeviceReference, of subscriber: SubscriberReference, at moment: Date) -> Bool {
        let last = noted.withLock { $0[Use(device: device, subscriber: subscriber)] }
        return last.map { moment.timeIntervalSince($0) >= Self.spacing } ?? true
    }
}
