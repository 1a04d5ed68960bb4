import FrontDoors
import Gatefold
import Logging
import ServiceLifecycle
import Synchronization

/// What became of purchases, waiting to be told to the apps concerned. Taking it in returns at once; of more than there is room for
/// the oldest is lost: apps ask for access when they start.
final class PurchaseNews: Sendable {
    struct Item: Sendable {
        let publication: PublicationID
        let change: PurchaseChange
    }

    static let most = 10_000
    let items: AsyncStream<Item>
    private let continuation: AsyncStream<Item>.Continuation
    /// Whether anybody will hear of it; until then nothing is kept.
    private let isHeard = Mutex(false)
    private let counts = Mutex(Counts())

    private struct Counts {
        var waiting = 0
        var lost = 0
    }

    init() {
        (items, continuation) = AsyncStream.makeStream(bufferingPolicy: .bufferingNewest(Self.most))
    }

    func tell(_ change: PurchaseChange, of publication: PublicationID) {
        guard isHeard.withLock(\.self) else { return }
        counts.withLock { counts in
            switch continuation.yield(Item(publication: publication, change: change)) {
            case .enqueued: counts.waiting += 1
            // The oldest went for this one, or nobody listens any more.
            default: counts.lost += 1
            }
        }
    }

    /// One of the items has been taken out.
    func took() { counts.withLock { $0.waiting -= 1 } }

    /// Takes no more; what waits is still to be had.
    func close() { continuation.finish() }

    /// How many will not be told: those that were lost, and those that wait.
    var untold: Int { counts.withLock { $0.lost + $0.waiting } }

    func beginHearing() { isHeard.withLock { $0 = true } }
}

/// Tells apps what became of purchases until the server stops, and then what still waits: it must stop before the notices'
/// publisher does.
struct PurchaseNewsService: Service {
    let news: PurchaseNews
    /// Asked for every piece of news, so that a reload takes effect.
    let directory: @Sendable () -> InPlayerDirectory
    let logger: Logger

    func run() async throws {
        news.beginHearing()
        await withGracefulShutdownHandler {
            for await item in news.items {
                news.took()
                guard let front = directory()[item.publication] else { continue }
                do {
                    try await front.tell(of: item.change)
                } catch {
                    logger.error(
                        "apps not told of a purchase",
                        metadata: ["publication": "\(item.publication)", "cause": "\(type(of: error))"])
                }
            }
        } onGracefulShutdown: {
            news.close()
        }
        let untold = news.untold
        if untold > 0 { logger.warning("apps not told of purchases", metadata: ["count": "\(untold)"]) }
    }
}
