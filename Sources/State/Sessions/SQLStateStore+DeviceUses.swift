public import Foundation
public import Gatefold
import Synchronization

/// The uses of devices are written in batches, so that a decision waits for no statement and a morning on which every device
/// is used costs few. Those of the last second are lost if the process ends, and the next use of the device is recorded again.
extension SQLStateStore {
    /// The number of uses in one statement.
    private static let useBatch = 500

    public func touch(
        _ device: DevicePseudonym, of subscriber: SubscriberPseudonym, in publication: PublicationID, at timestamp: Date
    ) async throws {
        let key = DeviceUseQueue.Key(publication: publication, subscriber: subscriber, device: device)
        deviceUses.withLock { $0.add(key, at: timestamp) }
    }

    public func writeUses() async throws {
        while true {
            // In the order of the keys, so that two nodes rarely wait for each other.
            let batch = deviceUses.withLock { $0.batch(Self.useBatch) }
            if batch.isEmpty { return }
            let rows = Array(repeating: "(?, ?, ?, ?)", count: batch.count).joined(separator: ", ")
            let arguments: StateArguments = batch.flatMap { use -> StateArguments in
                [
                    use.key.publication.rawValue, Data(use.key.subscriber.bytes), Data(use.key.device.bytes),
                    use.timestamp.timeIntervalSince1970,
                ]
            }
            try await database.write(.statements) { db in
                try db.execute(
                    """
                    WITH used (publication, subscriber, device, used) AS (VALUES \(rows))
                    UPDATE device SET last_used = used.used FROM used
                    WHERE device.publication = used.publication AND device.subscriber = used.subscriber
                        AND device.device = used.device AND device.last_used < used.used
                    """, arguments)
            }
            deviceUses.withLock { $0.remove(batch) }
            if batch.count < Self.useBatch { return }
        }
    }
}
