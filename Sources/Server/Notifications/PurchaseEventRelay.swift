import Commerce
import FrontDoors
import Gatefold
import Logging
import ServiceLifecycle
import Synchronization

/// A queue of purchase events that wait to be sent to the affected apps. Adding an event returns at once. If the
/// queue is full, the oldest event is dropped, because apps request their access again when they start.
final class PurchaseEventRelay: Sendable {
    struct Item: Sendable {
        let publication: PublicationID
        let change: PurchaseChange
    }

    static let limit = 10_000
    let items: AsyncStream<Item>
    private let continuation: AsyncStream<Item>.Continuation
    /// A Boolean value that indicates whether the queue has a consumer. Until then, events are discarded.
    private let isListening = Mutex(false)
    private let counts = Mutex(Counts())

    private struct Counts {
        var waiting = 0
        var lost = 0
    }

    init() {
        (items, continuation) = AsyncStream.makeStream(bufferingPolicy: .bufferingNewest(Self.limit))
    }

    func notify(_ change: PurchaseChange, of publication: PublicationID) {
        guard isListening.withLock(\.self) else { return }
        counts.withLock { counts in
            switch continuation.yield(Item(publication: publication, change: change)) {
            case .enqueued: counts.waiting += 1
            // The oldest event was dropped for this one, or the queue is closed.
            default: counts.lost += 1
            }
        }
    }

    /// Records that an event was taken from the queue.
    func didDequeue() { counts.withLock { $0.waiting -= 1 } }

    /// Closes the queue for new events. Queued events remain available.
    func close() { continuation.finish() }

    /// The number of events that will not be sent: dropped events and queued events.
    var undeliveredCount: Int { counts.withLock { $0.lost + $0.waiting } }

    func startListening() { isListening.withLock { $0 = true } }
}

/// A service that sends apps the purchase events until the server stops, and then the queued events. It must stop
/// before the notification publisher does.
struct PurchaseEventRelayService: Service {
    let eventRelay: PurchaseEventRelay
    /// A closure that returns the front doors in force. Called for every event, so that a reload takes effect.
    let frontDoors: @Sendable () -> [any FrontDoorSnapshot]
    let logger: Logger

    func run() async throws {
        eventRelay.startListening()
        await withGracefulShutdownHandler {
            for await item in eventRelay.items {
                eventRelay.didDequeue()
                for frontDoor in frontDoors() {
                    do {
                        try await frontDoor.report(item.change, of: item.publication)
                    } catch {
                        logger.error(
                            "Purchase notification not sent",
                            metadata: ["publication": "\(item.publication)", "cause": "\(type(of: error))"])
                    }
                }
            }
        } onGracefulShutdown: {
            eventRelay.close()
        }
        let undeliveredCount = eventRelay.undeliveredCount
        if undeliveredCount > 0 {
            logger.warning("Purchase notifications not sent", metadata: ["count": "\(undeliveredCount)"])
        }
    }
}
