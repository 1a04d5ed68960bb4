import ArgumentParser
import Foundation
import Gatefold
import Server

struct DeliveriesCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "deliveries", abstract: "See what was bought and is to be handed out, and settle what got stuck.",
        discussion: "A running server sees what these change within seconds.",
        subcommands: [DeliveriesListCommand.self, DeliveriesRetryCommand.self, DeliveriesSettleCommand.self])
}

/// Which deliveries are meant.
struct DeliveryArguments: ParsableArguments {
    @Argument(help: "Deliveries as STORE/TRANSACTION, as `deliveries list` shows them.")
    var ids: [String] = []

    /// Each once.
    func read() throws -> [Delivery.ID] {
        var seen: Set<Delivery.ID> = []
        return try ids.compactMap { text in
            guard let id = Delivery.ID(text) else {
                throw CommandFailure(.usage, "expected STORE/TRANSACTION, not \(text)")
            }
            return seen.insert(id).inserted ? id : nil
        }
    }

    /// Changes each, says for how many there was something to change, and fails with the names of the others.
    static func change(
        _ ids: [Delivery.ID], saying words: String, _ change: (Delivery.ID) async throws -> Bool
    ) async throws {
        var unknown: [Delivery.ID] = []
        for id in ids where try await !change(id) { unknown.append(id) }
        print("\(ids.count - unknown.count) \(words).")
        guard unknown.isEmpty else {
            let names = unknown.map(\.description).joined(separator: ", ")
            throw CommandFailure(.no, "no such delivery waits: \(names)")
        }
    }
}
