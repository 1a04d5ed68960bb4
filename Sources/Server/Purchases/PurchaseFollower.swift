import FrontDoors
import Gatefold
import Logging
import ServiceLifecycle

/// Does for every publication what is due by itself: receipts whose store could not be asked, purchases to
/// look at again and to acknowledge.
struct PurchaseFollower: Service {
    let publications: CurrentPublications
    let logger: Logger
    var pause: Duration = .seconds(15)
    /// So many of a kind are dealt with at a time.
    private static let round = 100

    func run() async throws {
        await cancelWhenGracefulShutdown {
            while !Task.isCancelled {
                // After an outage thousands may wait: while there is more to do there is no pause.
                var isBehind = false
                for desk in publications.value.desks {
                    if Task.isCancelled { return }
                    do {
                        if try await desk.followUp(limit: Self.round) >= Self.round { isBehind = true }
                    } catch is CancellationError {
                        return
                    } catch {
                        logger.error(
                            "receipts not followed up",
                            metadata: ["publication": "\(desk.publication)", "cause": "\(type(of: error))"])
                    }
                }
                if !isBehind { try? await Task.sleep(for: pause) }
            }
        }
    }
}
