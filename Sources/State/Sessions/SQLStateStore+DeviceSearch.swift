import Foundation
package import Gatefold

extension SQLStateStore {
    package func subscribers(
        with device: DevicePseudonym, in publication: PublicationID, limit: Int
    ) async throws -> [SubscriberPseudonym] {
        try await database.read { db in
            try db.rows(
                "SELECT subscriber FROM device WHERE publication = ? AND device = ? ORDER BY subscriber LIMIT ?",
                [publication.rawValue, Data(device.bytes), max(0, limit)]
            ).map { row in
                guard let subscriber = SubscriberPseudonym(bytes: try StateRow.bytes(row, 0, "device")) else {
                    throw StateStoreError.unreadableRow(table: "device")
                }
                return subscriber
            }
        }
    }
}
