import FrontDoors
import Gatefold
import Logging
import ServiceLifecycle

/// Does for every publication what is due by itself: receipts whose store could not be asked, purchases to
/// look at again and to acknowledge.
struct PurchaseFollower: Service {
    /// Those of all publications; asked for at every turn, so that a reload takes effect.
    let desks: @Sendable () -> [PurchaseDesk]
    let logger: Logger
    var pause: Duration = .seconds(15)
    var sleep: @Sendable (Duration) async throws -> Void = { try await Task.sleep(for: $0) }
    /// So many of a kind are dealt with at a time.
    static let round = 100

    func run() async throws {
        await cancelWhenGracefulShutdown {
            while !Task.isCancelled {
                // After an outage thousands may wait: while a good part of a round comes to something there is no pause. A
                // store or a disk that fails is given one.
                var isBehind = false
                for desk in desks() {
                    if Task.isCancelled { return }
                    do {
                        if try await desk.followUp(limit: Self.round) * 2 >= Self.round { isBehind = true }
                    } catch is CancellationError {
                        return
                    } catch {
                        logger.error(
                            "receipts not followed up",
                            metadata: ["publication": "\(desk.publication)", "cause": "\(type(of: error))"])
                    }
                }
                if !isBehind { try? await sleep(pause) }
            }
        }
    }
}
