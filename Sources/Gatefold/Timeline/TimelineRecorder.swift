import Foundation
package import Primitives
import Synchronization

/// The recorder of the events of readers in one process. A decision only appends to a bounded queue; ``flush()`` writes
/// later, in batches.
///
/// Events are lost if the queue is full, and those of the last second if the process is killed. A timeline is a help for the
/// support desk and no record of account, so it never makes a reader wait.
package final class TimelineRecorder: Sendable {
    package struct Limits: Sendable, Equatable {
        /// The number of entries that remain of one reader in each category.
        package var entriesPerCategory: Int
        /// The number of events that wait in memory.
        package var capacity: Int
        /// The number of entries in one transaction.
        package var batch: Int
        /// The number of events per second about unauthenticated subjects. Anyone can cause such events.
        package var unverifiedPerSecond: Double

        package init(
            entriesPerCategory: Int = 125, capacity: Int = 20_000, batch: Int = 500, unverifiedPerSecond: Double = 10
        ) {
            self.entriesPerCategory = entriesPerCategory
            self.capacity = capacity
            self.batch = batch
            self.unverifiedPerSecond = unverifiedPerSecond
        }
    }

    private struct Outbox {
        var backlog: TimelineBacklog
        /// An empty buffer for the queue.
        var spare: [QueuedEvent] = []
    }

    /// Signals that ``flush()`` should not wait.
    package let isFilling: AsyncSignal

    private let store: any TimelineStore
    private let key: PseudonymKey
    private let isEnabled: Bool
    private let limits: Limits
    private let clock: WallClock
    private let random: RandomSource
    private let observe: @Sendable (TimelineRecorderEvent) -> Void
    /// The identity of this process among those that write.
    private let writer: [UInt8]
    private let queue: TimelineQueue
    private let allowance: UnverifiedAllowance
    /// The time of the clock when its monotonic time was 0, as the bits of the seconds since 1970. It is read again at each
    /// flush, so that an event does not wait for the lock of a shared clock.
    private let origin: Atomic<UInt64>
    private let outbox: Mutex<Outbox>
    /// The flush in progress.
    private let flushing = Mutex<Task<Void, Never>?>(nil)
    private let subscriptions = SubscriptionChanges()

    /// - Parameters:
    ///   - isEnabled: False if no events are recorded. Events can still be erased.
    ///   - observe: Receives the counts of events. Must return at once.
    package init(
        store: any TimelineStore, pseudonymKey: PseudonymKey, isEnabled: Bool = true, limits: Limits = Limits(),
        clock: WallClock = .system,
        random: RandomSource = .system, observe: @escaping @Sendable (TimelineRecorderEvent) -> Void = { _ in }
    ) {
        self.store = store
        key = pseudonymKey
        self.isEnabled = isEnabled
        self.limits = limits
        self.clock = clock
        self.random = random
        self.observe = observe
        writer = random.bytes(16)
        let isFilling = AsyncSignal()
        self.isFilling = isFilling
        queue = TimelineQueue(capacity: limits.capacity, isFilling: isFilling)
        allowance = UnverifiedAllowance(perSecond: limits.unverifiedPerSecond, at: clock.elapsed)
        origin = Atomic(Self.origin(of: clock))
        outbox = Mutex(Outbox(backlog: TimelineBacklog(capacity: limits.capacity, batchSize: limits.batch)))
    }

    private static func origin(of clock: WallClock) -> UInt64 {
        (clock.now.timeIntervalSince1970 - clock.elapsed).bitPattern
    }

    private var now: Date {
        Date(timeIntervalSince1970: Double(bitPattern: origin.load(ordering: .relaxed)) + clock.elapsed)
    }

    // MARK: Events

    /// Records an event. Returns at once.
    ///
    /// - Parameter reader: The subscriber to whom the pseudonym belongs, if the caller has it.
    package func record(_ event: TimelineEvent, of subject: TimelineSubject, reader: Subscriber? = nil) {
        guard isEnabled else { return }
        queue.add(QueuedEvent(entry: TimelineEntry(event, of: subject, at: now), reader: reader))
    }

    /// Records an event that anyone can cause, if few enough were recorded lately.
    ///
    /// - Parameter client: The address of the client; nil if it is not known.
    package func recordUnverified(_ event: TimelineEvent, of subject: TimelineSubject, client: ClientAddress?) {
        guard isEnabled else { return }
        guard allowance.admits(client, at: clock.elapsed) else { return observe(.dropped(1)) }
        queue.add(QueuedEvent(entry: TimelineEntry(event, of: subject, in: .unverified, at: now)))
    }

    /// Records a live statement of a subscriber system, if it differs from the last one that this process received.
    package func record(
        _ subscription: Subscription, of reader: Subscriber, as pseudonym: SubscriberPseudonym,
        in publication: PublicationID
    ) {
        guard isEnabled, let change = subscriptions.change(to: subscription, of: pseudonym, in: publication) else {
            return
        }
        record(
            TimelineEvent(
                .subscriptionChanged, in: publication, backend: reader.backend, freshness: Freshness.live.name,
                detail: change),
            of: .subscriber(pseudonym), reader: reader)
    }

    /// The event about what was typed at a sign-in, if it is not known to whom it belongs.
    ///
    /// - Parameter identifier: The folded identifier.
    package func subject(typed identifier: String) -> TimelineSubject { .identifier(key.typedIdentifier(identifier)) }

    /// Erases readers, see ``TimelineStore/eraseTimeline(of:)``. Their events that wait here, or in another process, are never
    /// written.
    ///
    /// - Throws: The error of the store.
    @discardableResult
    package func erase(_ subjects: [TimelineSubject]) async throws -> Int {
        try await store.eraseTimeline(of: subjects)
    }

    // MARK: Writing

    /// Writes what waits. If the store is unavailable, it waits for the next call.
    package func flush() async {
        let task = flushing.withLock { flushing in
            let former = flushing
            let task = Task {
                await former?.value
                await write()
            }
            flushing = task
            return task
        }
        await task.value
    }

    /// Writes what waits for the last time. What cannot be written is lost.
    package func finish() async {
        await flush()
        let lost = outbox.withLock { $0.backlog.discardAll() }
        if lost > 0 { observe(.dropped(lost)) }
    }

    private func write() async {
        origin.store(Self.origin(of: clock), ordering: .relaxed)
        collect()
        var chosen: Set<TimelineSection> = []
        while true {
            let (number, events) = outbox.withLock { outbox in
                let events = outbox.backlog.next()
                return (outbox.backlog.number, events)
            }
            if events.isEmpty { break }
            do {
                try await store.append(batch(events, number: number))
            } catch {
                observe(.notWritten(cause: String(describing: type(of: error))))
                // An empty batch tells an outage from an event that cannot be stored.
                guard await canWrite(number: number) else { break }
                if let event = outbox.withLock({ $0.backlog.isolate() }) { observe(.dropped(event.entry.count)) }
                continue
            }
            outbox.withLock { $0.backlog.didWrite() }
            observe(.written(events.reduce(0) { $0 + $1.entry.count }))
            // One entry in eight deletes old ones. A few entries beyond the limit do no harm.
            for (event, byte) in zip(events, random.bytes(events.count)) where byte < 32 {
                chosen.insert(TimelineSection(event.entry.subject, event.entry.category))
            }
        }
        if !chosen.isEmpty {
            do {
                try await store.trimTimeline(chosen, to: limits.entriesPerCategory)
            } catch {
                observe(.notTrimmed(cause: String(describing: type(of: error))))
            }
        }
        observe(.waiting(outbox.withLock { $0.backlog.count }))
    }

    private func canWrite(number: Int64) async -> Bool {
        (try? await store.append(TimelineBatch([], from: writer, number: number))) != nil
    }

    /// Moves the queued events to the backlog, where repetitions become one entry.
    private func collect() {
        let dropped = outbox.withLock { outbox in
            var refused = 0
            var spare: [QueuedEvent] = []
            swap(&spare, &outbox.spare)
            let dropped = queue.drain(&spare) { if !outbox.backlog.add($0) { refused += $0.entry.count } }
            swap(&spare, &outbox.spare)
            return dropped + refused
        }
        if dropped > 0 { observe(.dropped(dropped)) }
    }

    private func batch(_ events: [QueuedEvent], number: Int64) -> TimelineBatch {
        var readers: [SubscriberPseudonym: Subscriber] = [:]
        for event in events {
            if let reader = event.reader, case .subscriber(let pseudonym) = event.entry.subject {
                readers[pseudonym] = reader
            }
        }
        let known = readers.compactMap { pseudonym, reader in
            (try? SealedReader(reader, key)).map { KnownReader(pseudonym: pseudonym, sealed: $0) }
        }
        return TimelineBatch(events.map(\.entry), readers: known, from: writer, number: number)
    }
}
