import ArgumentParser
import Commerce
import Gatefold
import Server
import State

struct DeliveriesSettleCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "settle", abstract: "Mark deliveries as made by other means, so that they are not retried.",
        discussion: "The exit status is 1 if a named delivery is not pending. The others are settled.")

    @OptionGroup var configuration: ConfigurationOptions
    @OptionGroup var audit: AuditOptions
    @OptionGroup var arguments: DeliveryArguments

    func validate() throws {
        guard !arguments.ids.isEmpty else { throw ValidationError("expected at least one delivery") }
    }

    func run() async throws {
        let ids = try arguments.read()
        let read = try configuration.read()
        let store = try Bootstrap.existingStateStore(read)
        try await DeliveryArguments.change(
            ids, reporting: "settled", .deliverySettle, audit.trail(read, in: store), read.state.pseudonymKey
        ) { try await store.settleDelivery($0, at: store.now) }
    }
}
