import Commerce
import SQLAccess

/// A carrier that delivers exactly once, through the provider's own statements in the provider's own database.
///
/// The statements run in one transaction with a row that names the delivery. If the database's response is lost or
/// this process ends, the next attempt finds that row and changes nothing.
struct SQLDeliveryTransport: DeliveryTransport {
    let database: any SQLCommandExecutor

    func deliver(_ delivery: Delivery) async throws {
        var values: [String: String] = [:]
        for case (let name, let value?) in DeliveryValues.of(delivery) { values[name] = value }
        // No database stores a NUL character in a text.
        guard !values.values.contains(where: { $0.utf8.contains(0) }) else {
            throw DeliveryFailure.rejected(cause: "a value has a NUL character")
        }
        switch try await database.make(SQLChange(name: delivery.id.reference, values: values)) {
        case .made, .alreadyApplied: return
        case .noRowsChanged(let statement):
            throw DeliveryFailure.rejected(cause: "statement \(statement) changed no row")
        }
    }
}
