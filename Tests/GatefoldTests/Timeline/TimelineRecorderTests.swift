import Foundation
import Gatefold
import Primitives
import Synchronization
import TestSupport
import Testing

@Suite("Recorder of the timeline") struct TimelineRecorderTests {
    private static let key = PseudonymKey(.one)
    private static let reader = Subscriber(backend: "members", key: "4711")
    private static let pseudonym = key.reference(to: reader)
    private static let subject = TimelineSubject.subscriber(pseudonym)
    private let clock = ManualClock()
    private let store = FakeTimelineStore()
    private let log = EventLog()

    private final class EventLog: Sendable {
        private let list = Mutex<[TimelineRecorderEvent]>([])
        func add(_ event: TimelineRecorderEvent) { list.withLock { $0.append(event) } }
        var all: [TimelineRecorderEvent] { list.withLock { $0 } }
        var dropped: Int { all.reduce(0) { if case .dropped(let count) = $1 { $0 + count } else { $0 } } }
        var failures: Int { all.count { if case .notWritten = $0 { true } else { false } } }
    }

    private func recorder(isEnabled: Bool = true, limits: TimelineRecorder.Limits = .init()) -> TimelineRecorder {
        TimelineRecorder(
            store: store, pseudonymKey: Self.key, isEnabled: isEnabled, limits: limits, clock: clock.wall,
            random: .seeded(5), observe: { [log] in log.add($0) })
    }

    private func event(_ detail: String = "a") -> TimelineEvent { TimelineEvent(.refused, in: .daily, detail: detail) }

    private func stranger(_ number: Int) -> TimelineSubject {
        .identifier(Self.key.typedIdentifier("stranger \(number)"))
    }

    // MARK: Repetitions

    @Test("A repetition of a reader's latest event within seconds is one entry with its number and times")
    func repetitions() async {
        let recorder = recorder()
        let start = clock.now
        for (detail, pause) in [("a", 1.0), ("a", 1), ("b", 1), ("a", 60), ("a", 1)] {
            recorder.record(event(detail), of: Self.subject)
            clock.advance(by: pause)
        }
        await recorder.flush()
        #expect(
            store.entries == [
                TimelineEntry(event("a"), of: Self.subject, at: start, until: start + 1, count: 2),
                TimelineEntry(event("b"), of: Self.subject, at: start + 2),
                TimelineEntry(event("a"), of: Self.subject, at: start + 3),
                TimelineEntry(event("a"), of: Self.subject, at: start + 63),
            ])
    }

    @Test("The order of an outage is recorded: changes and sessions are never one entry, however alike they are")
    func order() async {
        let recorder = recorder()
        store.isAvailable = false
        let kinds: [TimelineEvent.Kind] = [
            .signIn, .signIn, .sessionEnded, .sessionEnded, .subscriptionChanged, .subscriptionChanged, .signIn,
        ]
        for kind in kinds {
            recorder.record(TimelineEvent(kind), of: Self.subject)
            await recorder.flush()
        }
        store.isAvailable = true
        await recorder.flush()
        #expect(store.entries.map(\.event.kind) == kinds && store.entries.allSatisfy { $0.count == 1 })
    }

    // MARK: Failures

    @Test("Events wait, within a limit, while the store is unavailable, and are written in batches in their order")
    func outage() async {
        let recorder = recorder(limits: .init(capacity: 160, batch: 100))
        store.isAvailable = false
        for round in 0..<10 {
            for number in 0..<20 { recorder.record(event("\(round) \(number)"), of: Self.subject) }
            await recorder.flush()
        }
        #expect(store.entries.isEmpty)
        store.isAvailable = true
        await recorder.flush()
        // The first round was in the batch that was tried first.
        #expect(store.batches.map(\.entries.count) == [20, 100, 60])
        let expected = (0..<9).flatMap { round in (0..<20).map { "\(round) \($0)" } }
        #expect(store.entries.map(\.event.detail) == expected)
        #expect(log.failures == 10 && log.dropped == 20 && log.all.last == .waiting(0))
    }

    @Test("Pitfall 30: a batch whose outcome is unknown is sent again as it was, with its numbers")
    func unknownOutcome() async throws {
        let recorder = recorder()
        for number in 0..<3 { recorder.record(event(String(number)), of: Self.subject) }
        store.loseResponse()
        await recorder.flush()
        recorder.record(event("later"), of: Self.subject)
        store.isAvailable = true
        await recorder.flush()
        let batches = store.batches
        try #require(batches.count == 3)
        #expect(batches[0].entries == batches[1].entries && batches[0].entries.count == 3)
        #expect(batches.map(\.number) == [1, 1, 4] && Set(batches.map(\.writer)).count == 1)
        #expect(batches[2].entries.map(\.event.detail) == ["later"])
    }

    @Test("Pitfall 31: an event that the store does not accept is dropped alone, and all others are written")
    func unacceptable() async {
        let recorder = recorder(limits: .init(batch: 32))
        store.reject("17")
        store.reject("40")
        for number in 0..<100 { recorder.record(event(String(number)), of: stranger(number)) }
        await recorder.flush()
        let expected = Set((0..<100).filter { ![17, 40].contains($0) }.map { String($0) })
        #expect(Set(store.entries.compactMap(\.event.detail)) == expected && store.entries.count == 98)
        #expect(log.dropped == 2 && log.all.last == .waiting(0))
        // Each event has one number.
        let numbers = store.batches.flatMap { batch in (0..<batch.entries.count).map { batch.number + Int64($0) } }
        #expect(Set(numbers).count == 98)
    }

    @Test("A full queue drops events, counts them, and leaves nothing of their readers")
    func full() async {
        let recorder = recorder(limits: .init(capacity: 40))
        for number in 0..<8 {
            let reader = Subscriber(backend: "members", key: String(number))
            // All are in one part of the queue, because they have one subject.
            recorder.record(event(String(number)), of: Self.subject, reader: number < 5 ? nil : reader)
        }
        await recorder.flush()
        #expect(store.entries.count == 5 && log.dropped == 3 && store.readers.isEmpty)
        recorder.record(event("later"), of: Self.subject, reader: Self.reader)
        await recorder.flush()
        #expect(store.readers.map { $0.sealed.subscriber(Self.key) } == [Self.reader])
    }

    @Test("A queue that is half full asks to be written")
    func filling() async {
        let recorder = recorder(limits: .init(capacity: 80))
        for number in 0..<4 { recorder.record(event(String(number)), of: Self.subject) }
        #expect(recorder.isFilling.signalCount == 0)
        recorder.record(event("5"), of: Self.subject)
        #expect(recorder.isFilling.signalCount == 1)
    }

    @Test("Events that cannot be written at the end are counted, each repetition")
    func lost() async {
        let recorder = recorder()
        store.isAvailable = false
        for detail in ["a", "a", "b"] { recorder.record(event(detail), of: Self.subject) }
        await recorder.finish()
        #expect(log.dropped == 3)
        store.isAvailable = true
        await recorder.finish()
        #expect(store.entries.isEmpty && log.dropped == 3)
    }

    @Test("Events are written once, however many threads record while others write")
    func threads() async {
        let recorder = recorder(limits: .init(capacity: 100_000, batch: 50))
        await withTaskGroup { group in
            for thread in 0..<8 {
                group.addTask {
                    for number in 0..<200 {
                        recorder.record(TimelineEvent(.signIn, detail: "\(thread) \(number)"), of: stranger(thread))
                        if number % 50 == 0 { await recorder.flush() }
                    }
                }
            }
        }
        await recorder.flush()
        for thread in 0..<8 {
            let details = store.entries.filter { $0.subject == stranger(thread) }.map(\.event.detail)
            #expect(details == (0..<200).map { "\(thread) \($0)" })
        }
        #expect(store.entries.count == 1_600 && log.dropped == 0)
    }

    // MARK: Unauthenticated subjects

    @Test("Anyone can cause only a few events per second about subjects that nobody authenticated")
    func unverified() async throws {
        let recorder = recorder(limits: .init(unverifiedPerSecond: 8))
        let clients = try (0..<250).map { try #require(ClientAddress("198.51.\($0).1")) }
        func fill(_ clients: [ClientAddress?]) async -> Int {
            let before = store.entries.count
            for number in 0..<1_000 {
                recorder.recordUnverified(event(), of: stranger(number), client: clients[number % clients.count])
            }
            await recorder.flush()
            return store.entries.count - before
        }
        // One client has a part of the allowance, and all together ten seconds' worth.
        #expect(await fill([clients[0]]) == 16)
        #expect(await fill([clients[0]]) == 0)
        #expect(await fill(clients) == 80 - 16)
        #expect(await fill([nil]) == 0)
        clock.advance(by: 3)
        #expect(await fill([clients[0]]) == 1)
        let before = store.entries.count
        for number in 0..<100 { recorder.record(event(String(number)), of: Self.subject) }
        await recorder.flush()
        #expect(store.entries.count == before + 100)
        #expect(store.entries.allSatisfy { ($0.category == .unverified) == ($0.subject != Self.subject) })
    }

    @Test("Events of unauthenticated subjects take no place in the queue from those of readers")
    func separate() async {
        let recorder = recorder(limits: .init(capacity: 80, unverifiedPerSecond: 1_000))
        store.isAvailable = false
        for round in 0..<20 {
            for number in 0..<10 {
                recorder.recordUnverified(event("\(round)"), of: stranger(1_000 * round + number), client: nil)
            }
            await recorder.flush()
        }
        for number in 0..<10 { recorder.record(event(String(number)), of: Self.subject) }
        store.isAvailable = true
        await recorder.flush()
        #expect(store.entries.count { $0.subject == Self.subject } == 10)
        // Those of the first batch, and an eighth of the backlog.
        #expect(store.entries.count { $0.subject != Self.subject } == 20)
    }

    // MARK: Readers

    @Test("The reader of a pseudonym is written sealed, with the events of each batch")
    func readers() async {
        let recorder = recorder()
        for detail in ["a", "a", "b"] { recorder.record(event(detail), of: Self.subject, reader: Self.reader) }
        await recorder.flush()
        #expect(store.readers.map(\.pseudonym) == [Self.pseudonym])
        #expect(store.readers.first?.sealed.subscriber(Self.key) == Self.reader)
        // A reader who was erased meanwhile and is back is known again.
        recorder.record(event("c"), of: Self.subject, reader: Self.reader)
        await recorder.flush()
        #expect(store.readers.count == 2)
    }

    @Test("A reader whose batch could not be written is written with the next one")
    func readerOutage() async {
        let recorder = recorder()
        store.isAvailable = false
        recorder.record(event(), of: Self.subject, reader: Self.reader)
        await recorder.flush()
        store.isAvailable = true
        await recorder.flush()
        #expect(store.batches.map(\.readers.count) == [1])
    }

    @Test("Old entries of an active reader are deleted after some batches, those of others are not")
    func trimming() async {
        let recorder = recorder(limits: .init(entriesPerCategory: 7))
        for number in 0..<200 {
            recorder.record(event(String(number)), of: Self.subject)
            await recorder.flush()
        }
        #expect((5..<100).contains(store.trims.count), "\(store.trims.count)")
        #expect(
            store.trims.allSatisfy { $0.sections == [TimelineSection(Self.subject, .refusals)] && $0.limit == 7 })
    }

    @Test("A change of a subscription is an event, its first statement and a repeated one are none")
    func subscriptions() async {
        let recorder = recorder()
        let (first, second) = (EditionID("a")!, EditionID("b")!)
        let statements = [
            Subscription(state: .active, entitlement: .editions([first])),
            Subscription(state: .active, message: "Hello", entitlement: .editions([first])),
            Subscription(state: .active, entitlement: .editions([first, second])),
            Subscription(state: .active, entitlement: .editions([EditionID("c")!, second])),
            Subscription(state: .suspended), Subscription(state: .suspended),
            Subscription(state: .active, entitlement: .allEditions),
        ]
        for statement in statements { recorder.record(statement, of: Self.reader, as: Self.pseudonym, in: .daily) }
        recorder.record(statements[0], of: Self.reader, as: Self.pseudonym, in: PublicationID("weekly")!)
        await recorder.flush()
        #expect(
            store.entries.map(\.event.detail) == [
                "active 1 > active 2", "active 2 > active 2", "active 2 > suspended 0", "suspended 0 > active all",
            ])
        #expect(store.entries.allSatisfy { $0.event.backend == "members" && $0.event.kind == .subscriptionChanged })
    }

    @Test("A disabled recorder records nothing and still erases")
    func disabled() async throws {
        let recorder = recorder(isEnabled: false)
        recorder.record(event(), of: Self.subject, reader: Self.reader)
        recorder.recordUnverified(event(), of: stranger(1), client: nil)
        for state in [SubscriptionState.active, .suspended] {
            recorder.record(Subscription(state: state), of: Self.reader, as: Self.pseudonym, in: .daily)
        }
        await recorder.flush()
        #expect(store.entries.isEmpty)
        #expect(try await recorder.erase([Self.subject]) == 1)
        #expect(store.erased == [Self.subject])
    }
}
