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
    private let clock = ManualClock()
    private let store = FakeTimelineStore()

    private func recorder(
        _ store: FakeTimelineStore? = nil, isEnabled: Bool = true, limits: TimelineRecorder.Limits = .init()
    ) -> TimelineRecorder {
        let log = EventLog()
        return TimelineRecorder(
            store: store ?? self.store, pseudonymKey: Self.key, isEnabled: isEnabled, limits: limits, clock: clock.wall,
            random: .seeded(5), observe: { log.add($0) })
    }

    private final class EventLog: Sendable {
        private let list = Mutex<[TimelineRecorderEvent]>([])
        func add(_ event: TimelineRecorderEvent) { list.withLock { $0.append(event) } }
        var all: [TimelineRecorderEvent] { list.withLock { $0 } }
    }

    private func event(_ detail: String = "a") -> TimelineEvent { TimelineEvent(.refused, in: .daily, detail: detail) }

    @Test("Repetitions within a batch are one entry with their number and times")
    func repetitions() async {
        let recorder = recorder()
        let start = clock.now
        for detail in ["a", "b", "a"] {
            recorder.record(event(detail), of: .subscriber(Self.pseudonym))
            clock.advance(by: 1)
        }
        await recorder.flush()
        #expect(
            store.entries == [
                TimelineEntry(event("a"), of: .subscriber(Self.pseudonym), at: start, until: start + 2, count: 2),
                TimelineEntry(event("b"), of: .subscriber(Self.pseudonym), at: start + 1),
            ])
        recorder.record(event(), of: .subscriber(Self.pseudonym))
        await recorder.flush()
        #expect(store.entries.count == 3)
    }

    @Test("Events wait, within a limit, while the store is unavailable, and are written in batches in their order")
    func outage() async {
        let log = EventLog()
        let recorder = TimelineRecorder(
            store: store, pseudonymKey: Self.key, limits: .init(capacity: 50, batch: 20), clock: clock.wall,
            random: .seeded(5), observe: { log.add($0) })
        store.isAvailable = false
        for round in 0..<3 {
            for number in 0..<20 { recorder.record(event("\(round) \(number)"), of: .subscriber(Self.pseudonym)) }
            await recorder.flush()
        }
        #expect(store.entries.isEmpty)
        store.isAvailable = true
        await recorder.flush()
        #expect(store.batches.map(\.entries.count) == [20, 20, 10])
        let expected = (0..<3).flatMap { round in (0..<20).map { "\(round) \($0)" } }.prefix(50)
        #expect(store.entries.map(\.event.detail) == expected.map { $0 })
        #expect(log.all.filter { if case .notWritten = $0 { true } else { false } }.count == 3)
        #expect(log.all.contains(.dropped(10)) && log.all.last == .waiting(0))
    }

    @Test("A full queue drops events and counts them")
    func full() async {
        let log = EventLog()
        let recorder = TimelineRecorder(
            store: store, pseudonymKey: Self.key, limits: .init(capacity: 5), clock: clock.wall, random: .seeded(5),
            observe: { log.add($0) })
        for number in 0..<8 { recorder.record(event(String(number)), of: .subscriber(Self.pseudonym)) }
        await recorder.flush()
        #expect(store.entries.count == 5 && log.all.contains(.dropped(3)))
    }

    @Test("Anyone can cause only a few events per second about identifiers that belong to nobody")
    func identifiers() async {
        let recorder = recorder(limits: .init(identifiersPerSecond: 2))
        func fill() async -> Int {
            let before = store.entries.count
            for number in 0..<100 { recorder.record(event(), of: recorder.subject(typed: "\(before) \(number)")) }
            await recorder.flush()
            return store.entries.count - before
        }
        #expect(await fill() == 20)
        #expect(await fill() == 0)
        clock.advance(by: 3)
        #expect(await fill() == 6)
        for number in 0..<100 { recorder.record(event(String(number)), of: .subscriber(Self.pseudonym)) }
        await recorder.flush()
        #expect(store.entries.count == 126)
    }

    @Test("The reader of a pseudonym is written sealed, and again only after half a day")
    func readers() async {
        let recorder = recorder()
        func record() async -> [KnownReader] {
            recorder.record(event(), of: .subscriber(Self.pseudonym), reader: Self.reader)
            await recorder.flush()
            return store.batches.last?.readers ?? []
        }
        let first = await record()
        #expect(first.map(\.pseudonym) == [Self.pseudonym])
        #expect(first.first?.sealed.subscriber(Self.key) == Self.reader)
        #expect(await record().isEmpty)
        clock.advance(by: 43_201)
        #expect(await record().count == 1)
    }

    @Test("A reader whose batch could not be written is written with the next one")
    func readerOutage() async {
        let recorder = recorder()
        store.isAvailable = false
        recorder.record(event(), of: .subscriber(Self.pseudonym), reader: Self.reader)
        await recorder.flush()
        store.isAvailable = true
        await recorder.flush()
        #expect(store.batches.map(\.readers.count) == [1])
    }

    @Test("Old entries of an active reader are deleted with some batches, those of others are not")
    func trimming() async {
        let recorder = recorder(limits: .init(entriesPerSubject: 7))
        for number in 0..<200 {
            recorder.record(event(String(number)), of: .subscriber(Self.pseudonym))
            await recorder.flush()
        }
        let trims = store.batches.filter { !$0.trimmed.isEmpty }
        #expect((5..<100).contains(trims.count), "\(trims.count)")
        #expect(trims.allSatisfy { $0.trimmed == [.subscriber(Self.pseudonym)] && $0.entriesPerSubject == 7 })
    }

    @Test("An erased reader has no events left, neither waiting ones nor those that are being written")
    func erased() async throws {
        let (started, proceed) = (AsyncStream<Void>.makeStream(), AsyncStream<Void>.makeStream())
        let store = FakeTimelineStore {
            started.continuation.yield()
            for await _ in proceed.stream { break }
        }
        let recorder = recorder(store, limits: .init(batch: 1))
        let other = TimelineSubject.subscriber(Self.key.reference(to: Subscriber(backend: "members", key: "2")))
        recorder.record(event("writing"), of: .subscriber(Self.pseudonym), reader: Self.reader)
        recorder.record(event("other"), of: other)
        async let flushed: Void = recorder.flush()
        for await _ in started.stream { break }
        recorder.record(event("queued"), of: .subscriber(Self.pseudonym), reader: Self.reader)
        async let erased = recorder.erase([.subscriber(Self.pseudonym)])
        for _ in 0..<3 { proceed.continuation.yield() }
        proceed.continuation.finish()
        #expect(try await erased == 1)
        await flushed
        await recorder.flush()
        #expect(store.entries.map(\.event.detail) == ["other"])
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
        let subject = TimelineSubject.subscriber(Self.pseudonym)
        try await store.append(TimelineBatch([TimelineEntry(event(), of: subject, at: clock.now)]))
        let recorder = recorder(isEnabled: false)
        recorder.record(event(), of: subject, reader: Self.reader)
        for state in [SubscriptionState.active, .suspended] {
            recorder.record(Subscription(state: state), of: Self.reader, as: Self.pseudonym, in: .daily)
        }
        await recorder.flush()
        #expect(store.entries.count == 1)
        #expect(try await recorder.erase([subject]) == 1)
    }
}
