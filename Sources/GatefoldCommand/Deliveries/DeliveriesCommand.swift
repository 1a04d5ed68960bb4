import ArgumentParser
import Commerce
import Foundation
import Gatefold
import Server

struct DeliveriesCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "deliveries", abstract: "Show deliveries of purchases, and settle failed ones.",
        discussion: "A running server applies the changes within seconds.",
        subcommands: [DeliveriesListCommand.self, DeliveriesRetryCommand.self, DeliveriesSettleCommand.self])
}

/// The arguments that select deliveries.
struct DeliveryArguments: ParsableArguments {
    @Argument(help: "The deliveries as STORE/TRANSACTION, as `deliveries list` shows them.")
    var ids: [String] = []

    /// Returns each delivery once.
    func read() throws -> [Delivery.ID] {
        var seen: Set<Delivery.ID> = []
        return try ids.compactMap { text in
            guard let id = Delivery.ID(text) else {
                throw CommandFailure(.usage, "expected STORE/TRANSACTION, not \(text)")
            }
            return seen.insert(id).inserted ? id : nil
        }
    }

    /// Changes each delivery, prints the number of changed ones, and fails with the names of the others.
    static func change(
        _ ids: [Delivery.ID], reporting outcome: String, _ action: AuditAction, _ trail: AuditTrail,
        _ key: PseudonymKey, _ change: (Delivery.ID) async throws -> Bool
    ) async throws {
        var unknown: [Delivery.ID] = []
        for id in ids {
            let changed = try await trail.perform(
                action, of: [.delivery(id.description, key)],
                outcome: { (changed: Bool) -> AuditDetails.Pairs in [("pending", changed ? "yes" : "no")] }
            ) { try await change(id) }
            if !changed { unknown.append(id) }
        }
        print("\(ids.count - unknown.count) \(outcome).")
        guard unknown.isEmpty else {
            let names = unknown.map(\.description).joined(separator: ", ")
            throw CommandFailure(.negativeResult, "no such pending delivery: \(names)")
        }
    }
}
