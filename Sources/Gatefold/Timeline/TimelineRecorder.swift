package import Foundation
package import Primitives
import Synchronization

/// The recorder of the events of readers in one process. A decision only appends to a bounded queue; ``flush()`` writes
/// later, in batches.
///
/// Events are lost if the queue is full, and those of the last second if the process ends. A timeline is a help for the
/// support desk and no record of account, so it never makes a reader wait.
package final class TimelineRecorder: Sendable {
    package struct Limits: Sendable, Equatable {
        /// The number of entries that remain of one reader.
        package var entriesPerSubject: Int
        /// The number of events that wait in memory.
        package var capacity: Int
        /// The number of entries in one transaction.
        package var batch: Int
        /// The number of events per second about identifiers that belong to no known reader. Anyone can cause such events.
        package var identifiersPerSecond: Double

        package init(
            entriesPerSubject: Int = 500, capacity: Int = 20_000, batch: Int = 500, identifiersPerSecond: Double = 10
        ) {
            self.entriesPerSubject = entriesPerSubject
            self.capacity = capacity
            self.batch = batch
            self.identifiersPerSecond = identifiersPerSecond
        }
    }

    private struct Queue {
        /// The events since the last flush, in their order.
        var entries: [TimelineEntry] = []
        /// The readers to whom the pseudonyms of the events belong.
        var readers: [SubscriberPseudonym: Subscriber] = [:]
        var dropped = 0
        var identifiers = IdentifierAllowance()
    }

    private struct Waiting {
        var entries: TimelineBacklog
        var readers: [SubscriberPseudonym: Subscriber] = [:]
        /// The readers that were written lately, with the monotonic time.
        var written = BoundedCache<SubscriberPseudonym, TimeInterval>(capacity: 100_000)
    }

    private let store: any TimelineStore
    private let key: PseudonymKey
    private let isEnabled: Bool
    private let limits: Limits
    private let clock: WallClock
    private let random: RandomSource
    private let observe: @Sendable (TimelineRecorderEvent) -> Void
    private let queue = Mutex(Queue())
    private let waiting: Mutex<Waiting>
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
        waiting = Mutex(Waiting(entries: TimelineBacklog(capacity: limits.capacity)))
    }

    // MARK: Events

    /// Records an event. Returns at once.
    ///
    /// - Parameter reader: The subscriber to whom the pseudonym belongs, if the caller has it.
    package func record(_ event: TimelineEvent, of subject: TimelineSubject, reader: Subscriber? = nil) {
        guard isEnabled else { return }
        let entry = TimelineEntry(event, of: subject, at: clock.now)
        queue.withLock { queue in
            guard queue.entries.count < limits.capacity else {
                queue.dropped += 1
                return
            }
            if case .identifier = subject,
                !queue.identifiers.admits(at: clock.elapsed, perSecond: limits.identifiersPerSecond)
            {
                queue.dropped += 1
                return
            }
            queue.entries.append(entry)
            if let reader, case .subscriber(let pseudonym) = subject { queue.readers[pseudonym] = reader }
        }
    }

    /// Records to whom a pseudonym belongs that occurs in events.
    package func identify(_ pseudonym: SubscriberPseudonym, as reader: Subscriber) {
        guard isEnabled else { return }
        queue.withLock { queue in
            if queue.readers.count < limits.capacity { queue.readers[pseudonym] = reader }
        }
    }

    /// Records a refused call of a known reader. Other refusals have no subject.
    package func record(_ refusal: Refusal) {
        guard let subscriber = refusal.subscriber else { return }
        record(TimelineEvent(refusal), of: .subscriber(subscriber))
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

    // MARK: Erasure

    /// Deletes the events of readers: those that wait here, and those in the store. Another process may still write the
    /// events of its last second.
    ///
    /// - Throws: The error of the store.
    @discardableResult
    package func erase(_ subjects: [TimelineSubject]) async throws -> Int {
        discard(Set(subjects))
        // A batch that is being written may contain some, and puts them back if the store is unavailable.
        await flushing.withLock(\.self)?.value
        discard(Set(subjects))
        return try await store.eraseTimeline(of: subjects)
    }

    private func discard(_ subjects: Set<TimelineSubject>) {
        func discardReaders(_ readers: inout [SubscriberPseudonym: Subscriber]) {
            for case .subscriber(let pseudonym) in subjects { readers[pseudonym] = nil }
        }
        queue.withLock { queue in
            queue.entries.removeAll { subjects.contains($0.subject) }
            discardReaders(&queue.readers)
        }
        waiting.withLock { waiting in
            waiting.entries.remove(subjects)
            discardReaders(&waiting.readers)
        }
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

    private func write() async {
        collect()
        while true {
            let (entries, readers) = waiting.withLock { waiting in
                let entries = waiting.entries.take(limits.batch)
                var readers: [SubscriberPseudonym: Subscriber] = [:]
                for case .subscriber(let pseudonym) in Set(entries.map(\.subject)) {
                    readers[pseudonym] = waiting.readers.removeValue(forKey: pseudonym)
                }
                return (entries, readers)
            }
            if entries.isEmpty { break }
            let due = readers.filter { isDue($0.key) }
            do {
                try await store.append(batch(entries, due))
            } catch {
                waiting.withLock { waiting in
                    waiting.entries.putBack(entries)
                    waiting.readers.merge(readers) { $1 }
                }
                observe(.notWritten(cause: String(describing: type(of: error))))
                break
            }
            let elapsed = clock.elapsed
            waiting.withLock { waiting in for pseudonym in due.keys { waiting.written.insert(elapsed, for: pseudonym) }
            }
            observe(.written(entries.count))
        }
        observe(.waiting(waiting.withLock { $0.entries.count }))
    }

    /// Moves the queued events to the backlog, where repetitions become one entry.
    private func collect() {
        let (entries, readers, dropped) = queue.withLock { queue in
            defer {
                queue.entries = []
                queue.readers = [:]
                queue.dropped = 0
            }
            return (queue.entries, queue.readers, queue.dropped)
        }
        let refused = waiting.withLock { waiting in
            let refused = entries.count { !waiting.entries.add($0) }
            for (pseudonym, reader) in readers where waiting.readers.count < limits.capacity {
                waiting.readers[pseudonym] = reader
            }
            return refused
        }
        if dropped + refused > 0 { observe(.dropped(dropped + refused)) }
    }

    private func batch(_ entries: [TimelineEntry], _ readers: [SubscriberPseudonym: Subscriber]) -> TimelineBatch {
        // The pseudonyms are written in their order, so that two nodes rarely wait for each other.
        let known = readers.compactMap { pseudonym, reader in
            (try? SealedReader(reader, key)).map { KnownReader(pseudonym: pseudonym, sealed: $0) }
        }.sorted { $0.pseudonym.bytes.lexicographicallyPrecedes($1.pseudonym.bytes) }
        // One entry in eight deletes old ones. The deletion reads all entries of the subject, and a few entries beyond the
        // limit do no harm.
        let chosen = zip(entries, random.bytes(entries.count)).filter { $1 < 32 }.map(\.0.subject)
        return TimelineBatch(
            entries, readers: known,
            trimming: Set(chosen).sorted { $0.bytes.lexicographicallyPrecedes($1.bytes) },
            to: limits.entriesPerSubject)
    }

    /// Returns whether a reader was not written for half a day.
    private func isDue(_ pseudonym: SubscriberPseudonym) -> Bool {
        let last = waiting.withLock { $0.written[pseudonym] }
        return last.map { clock.elapsed - $0 > 43_200 } ?? true
    }
}

/// The number of events about typed identifiers that may be recorded now: a bucket that fills with time.
private struct IdentifierAllowance {
    private var left: Double?
    private var filled: TimeInterval = 0

    /// - Parameter rate: The events per second. Ten seconds' worth may come at once.
    mutating func admits(at elapsed: TimeInterval, perSecond rate: Double) -> Bool {
        let size = 10 * rate
        let now = min(size, (left ?? size) + max(0, elapsed - filled) * rate)
        filled = elapsed
        left = now >= 1 ? now - 1 : now
        return now >= 1
    }
}
