import Commerce
import FrontDoors
import Logging
import ServiceLifecycle

/// A service that handles due work for every publication: receipts whose store was unavailable, and purchases to
/// reverify and to acknowledge.
struct PurchaseFollower: Service {
    /// A closure that returns the purchase services of all publications. Called in every round, so that a reload
    /// takes effect.
    let purchaseServices: @Sendable () -> [PurchaseService]
    let logger: Logger
    var pause: Duration = .seconds(15)
    var sleep: @Sendable (Duration) async throws -> Void = { try await Task.sleep(for: $0) }
    /// The maximum number of items of each kind in one round.
    static let batchSize = 100

    func run() async throws {
        await cancelWhenGracefulShutdown {
            while !Task.isCancelled {
                // Thousands of items may wait after an outage, so there is no pause while at least half of a round
                // succeeds. If a store or a disk fails, there is a pause.
                var isBehind = false
                for purchaseService in purchaseServices() {
                    if Task.isCancelled { return }
                    do {
                        if try await purchaseService.followUp(limit: Self.batchSize) * 2 >= Self.batchSize {
                            isBehind = true
                        }
                    } catch is CancellationError {
                        return
                    } catch {
                        logger.error(
                            "Receipts not reverified",
                            metadata: ["publication": "\(purchaseService.publication)", "cause": "\(type(of: error))"])
                    }
                }
                if !isBehind { try? await sleep(pause) }
            }
        }
    }
}
