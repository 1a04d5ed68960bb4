import Foundation
import Gatefold

/// The uses of devices that are not in the database yet, the latest of each device.
struct DeviceUseQueue: Sendable {
    struct Key: Hashable, Sendable {
        let publication: PublicationID
        let subscriber: SubscriberPseudonym
        let device: DevicePseudonym

        /// The bytes by which batches are ordered.
        fileprivate var order: [UInt8] { subscriber.bytes + device.bytes }
    }

    /// The maximum number of devices. Further uses are dropped, because the next use of the device is recorded again.
    static let capacity = 100_000

    private var uses: [Key: Date] = [:]

    mutating func add(_ key: Key, at timestamp: Date) {
        guard let known = uses[key] else {
            if uses.count < Self.capacity { uses[key] = timestamp }
            return
        }
        uses[key] = max(known, timestamp)
    }

    /// Returns some of the uses, ordered by key. They stay in the queue.
    func batch(_ count: Int) -> [(key: Key, timestamp: Date)] {
        uses.prefix(count).map { (key: $0.key, timestamp: $0.value) }
            .sorted { $0.key.order.lexicographicallyPrecedes($1.key.order) }
    }

    /// Removes uses that were written. A later use of a device stays.
    mutating func remove(_ written: [(key: Key, timestamp: Date)]) {
        for use in written where uses[use.key] == use.timestamp { uses[use.key] = nil }
    }
}
