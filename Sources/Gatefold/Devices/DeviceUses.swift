import Foundation
import Synchronization

/// Spaces out the notes that a device is in use: one an hour is enough to find the longest unused.
final class DeviceUses: Sendable {
    static let spacing: TimeInterval = 3600
    static let capacity = 100_000
    private let noted = Mutex<[DeviceReference: Date]>([:])

    /// Whether it is time for a note; if so, the next one is due after ``spacing``.
    func isDue(_ device: DeviceReference, at moment: Date) -> Bool {
        noted.withLock { noted in
            if let last = noted[device], moment.timeIntervalSince(last) < Self.spacing { return false }
            // Forgetting costs one early note each.
            if noted.count >= Self.capacity { noted.removeAll() }
            noted[device] = moment
            return true
        }
    }
}
