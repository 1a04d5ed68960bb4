import Primitives
import Synchronization

/// An event with the reader whom the caller knows. Both travel together, so that a discarded event leaves no reader behind.
struct QueuedEvent: Sendable {
    var entry: TimelineEntry
    var reader: Subscriber?
}

/// The events since the last flush. Events of different subjects are in different stripes, so that threads rarely wait for each
/// other, and those of one subject remain in their order.
final class TimelineQueue: Sendable {
    private struct Contents {
        var events: [QueuedEvent] = []
        var dropped = 0
    }

    private final class Stripe: Sendable {
        let contents = Mutex(Contents())
    }

    private static let stripes = 8
    /// The stripes of verified events, and one for all others. Nobody can fill those of the readers without a sign-in.
    private let all = (0...stripes).map { _ in Stripe() }
    private let capacity: Int
    /// Signals that a stripe is half full.
    private let isFilling: AsyncSignal

    /// - Parameter capacity: The maximum number of events in all stripes of verified events.
    init(capacity: Int, isFilling: AsyncSignal) {
        self.capacity = max(1, capacity / Self.stripes)
        self.isFilling = isFilling
    }

    /// Adds an event, or counts it as dropped if its stripe is full.
    func add(_ event: QueuedEvent) {
        let index =
            event.entry.category == .unverified
            ? Self.stripes : Int(UInt(bitPattern: event.entry.subject.hashValue) % UInt(Self.stripes))
        let isHalfFull = all[index].contents.withLock { contents in
            guard contents.events.count < capacity else {
                contents.dropped += 1
                return false
            }
            contents.events.append(event)
            return contents.events.count == (capacity + 1) / 2
        }
        if isHalfFull { isFilling.signal() }
    }

    /// Passes all events to the closure and removes them. The buffers are kept, so that an event seldom waits for memory.
    ///
    /// - Parameter spare: An empty buffer, which replaces that of the first stripe, and then each the next one.
    /// - Returns: The number of events that were dropped.
    func drain(_ spare: inout [QueuedEvent], _ body: (QueuedEvent) -> Void) -> Int {
        var dropped = 0
        for stripe in all {
            dropped += stripe.contents.withLock { contents in
                swap(&contents.events, &spare)
                defer { contents.dropped = 0 }
                return contents.dropped
            }
            for event in spare { body(event) }
            spare.removeAll(keepingCapacity: true)
        }
        return dropped
    }
}
