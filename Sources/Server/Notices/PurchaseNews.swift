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

    init() {
        (items, continuation) = AsyncStream.makeStream(bufferingPolicy: .bufferingNewest(Self.most))
    }

    func tell(_ change: PurchaseChange, of publication: PublicationID) {
        if isHeard.withLock(\.self) { continuation.yield(Item(publication: publication, change: change)) }
    }

    func beginHearing() { isHeard.withLock { $0 = true } }
}

/// Tells apps what became of purchases until the server stops.
struct PurchaseNewsService: Service {
    let news: PurchaseNews
    /// Asked for every piece of news, so that a reload takes effect.
    let directory: @Sendable () -> InPlayerDirectory
    let logger: Logger

    func run() async throws {
        news.beginHearing()
        await cancelWhenGracefulShutdown {
            for await item in news.items {
                guard let front = directory()[item.publication] else { continue }
                do {
                    try await front.tell(of: item.change)
                } catch {
                    logger.error(
                        "apps not told of a purchase",
                        metadata: ["publication": "\(item.publication)", "cause": "\(type(of: error))"])
                }
            }
        }
    }
}
