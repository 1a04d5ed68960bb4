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

    func run() async throws {
        await cancelWhenGracefulShutdown {
            while !Task.isCancelled {
                for desk in publications.value.desks {
                    if Task.isCancelled { return }
                    do {
                        _ = try await desk.followUp()
                    } catch is CancellationError {
                        return
                    } catch {
                        logger.error(
                            "receipts not followed up",
                            metadata: ["publication": "\(desk.publication)", "cause": "\(type(of: error))"])
                    }
                }
                try? await Task.sleep(for: pause)
            }
        }
    }
}
