import ArgumentParser
import Commerce
import Gatefold
import Server
import State

struct DeliveriesRetryCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "retry", abstract: "Retry pending deliveries immediately.",
        discussion: """
            Completed deliveries do not change. The exit status is 1 if a named delivery is not pending. The others \
            are retried.
            """)

    @OptionGroup var configuration: ConfigurationOptions
    @OptionGroup var publication: PublicationOption
    @OptionGroup var audit: AuditOptions
    @OptionGroup var arguments: DeliveryArguments

    @Flag(help: "Retry all pending deliveries of the publication.")
    var all = false

    func validate() throws {
        guard all != !arguments.ids.isEmpty else { throw ValidationError("expected either deliveries or --all") }
    }

    func run() async throws {
        let read = try configuration.read()
        let ids = try arguments.read()
        let store = try Bootstrap.existingStateStore(read)
        let trail = audit.trail(read, in: store)
        guard all else {
            return try await DeliveryArguments.change(
                ids, reporting: "scheduled for retry", .deliveryRetry, trail, read.state.pseudonymKey
            ) { try await store.retryDelivery($0, at: store.now) }
        }
        let chosen = try read.publication(named: publication.publication)
        let pending = try await store.deliveries(in: chosen.publication.id, pendingOnly: true, limit: .max)
        let count = try await trail.perform(
            .deliveryRetry, in: chosen.publication.id, [("all", "yes")],
            outcome: { (count: Int) -> AuditDetails.Pairs in [("count", String(count))] }
        ) {
            var count = 0
            // A delivery that completes in the meantime is not a failure of this command.
            for record in pending
            where try await store.retryDelivery(record.delivery.id, at: store.now) { count += 1 }
            return count
        }
        print("\(count) scheduled for retry.")
    }
}
