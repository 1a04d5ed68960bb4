import ArgumentParser
import Gatefold
import Server
import State

struct DeliveriesRetryCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "retry", abstract: "Have deliveries that wait tried again at once.",
        discussion: """
            What was delivered is left alone. The exit status is 1 when one of those named does not wait; the others are \
            tried again all the same.
            """)

    @OptionGroup var configuration: ConfigurationOptions
    @OptionGroup var publication: PublicationOption
    @OptionGroup var arguments: DeliveryArguments

    @Flag(help: "All of the publication's that wait.")
    var all = false

    func validate() throws {
        guard all != !arguments.ids.isEmpty else { throw ValidationError("expected either deliveries or --all") }
    }

    func run() async throws {
        let read = try configuration.read()
        let ids = try arguments.read()
        let store = try Assembly.existingStateStore(read)
        guard all else {
            return try await DeliveryArguments.change(ids, saying: "asked for again") {
                try await store.retryDelivery($0, at: WallClock.system.now)
            }
        }
        let chosen = try read.publication(named: publication.publication)
        let waiting = try await store.deliveries(in: chosen.publication.id, waiting: true, limit: .max)
        var count = 0
        // One that is delivered meanwhile is no failure of this.
        for record in waiting
        where try await store.retryDelivery(record.delivery.id, at: WallClock.system.now) { count += 1 }
        print("\(count) asked for again.")
    }
}
