import Backends
import Gatefold

/// Delivers by the provider's own statements in the provider's own database: exactly once.
///
/// The statements take effect in one transaction with a row that names the delivery. When the database's answer is lost, or
/// this program is, the next attempt finds that row and changes nothing.
struct SQLCarrier: DeliveryCarrier {
    let database: any SQLChanging

    func deliver(_ delivery: Delivery) async throws {
        var values: [String: String] = [:]
        for case (let name, let value?) in DeliveryValues.of(delivery) { values[name] = value }
        // No database has a text for it.
        guard !values.values.contains(where: { $0.utf8.contains(0) }) else {
            throw DeliveryFailure.refused(cause: "a value has a NUL character")
        }
        switch try await database.make(SQLChange(name: delivery.id.reference, values: values)) {
        case .made, .madeBefore: return
        case .changedNothing(let statement):
            throw DeliveryFailure.refused(cause: "statement \(statement) changed no row")
        }
    }
}
