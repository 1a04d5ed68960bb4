import ArgumentParser
import Gatefold
import Server
import State

struct DeliveriesSettleCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "settle", abstract: "Note that deliveries were made by other means: they are never tried again.",
        discussion: "The exit status is 1 when one of those named does not wait; the others are settled all the same.")

    @OptionGroup var configuration: ConfigurationOptions
    @OptionGroup var arguments: DeliveryArguments

    func validate() throws {
        guard !arguments.ids.isEmpty else { throw ValidationError("expected deliveries") }
    }

    func run() async throws {
        let ids = try arguments.read()
        let store = try Assembly.existingStateStore(try configuration.read())
        try await DeliveryArguments.change(ids, saying: "settled") {
            try await store.settleDelivery($0, at: WallClock.system.now)
        }
    }
}
