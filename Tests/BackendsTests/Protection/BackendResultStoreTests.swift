import Gatefold
import TestSupport
import Testing

@testable import Backends
@testable import Resilience

@Suite("Backend result store")
struct BackendResultStoreTests {
    private static let active = StoredResult.subscription(Subscription(state: .active))
    private static let suspended = StoredResult.subscription(Subscription(state: .suspended))

    private func key(_ number: Int) -> BackendQueryKey { .digest(BackendQueryDigest(UInt64(number), 0, 0, 0)) }

    private func subject(_ number: Int, of reader: UInt64 = 1) -> BackendResultStore.Subject {
        BackendResultStore.Subject(key: key(number), groups: [.subscriber(reader)])
    }

    private func memory(_ change: (inout ProtectionSettings.Cache) -> Void = { _ in }) -> BackendResultStore {
        var settings = ProtectionSettings.Cache()
        change(&settings)
        return BackendResultStore(settings, maxQueryDuration: 6)
    }

    private func timestamped(_ result: StoredResult, at seconds: Double, _ order: UInt64) -> TimestampedResult<
        StoredResult
    > {
        TimestampedResult(result: result, queried: LogicalTimestamp(seconds: seconds, order: order))
    }

    @Test("Results are fresh, then revalidating, then usable in an outage only, then gone")
    func ages() {
        var memory = memory()
        memory.store(timestamped(Self.active, at: 0, 1), subject(1), jitter: 0, at: 2)
        #expect(memory.find(key(1), at: 29.9) == .fresh(Self.active))
        #expect(memory.find(key(1), at: 30) == .revalidating(Self.active, isDue: true))
        #expect(memory.find(key(1), at: 30.5) == .revalidating(Self.active, isDue: false))
        #expect(memory.find(key(1), at: 31.1) == .revalidating(Self.active, isDue: true))
        #expect(memory.find(key(1), at: 60) == .missing)
        #expect(memory.lastKnownGood(key(1), at: 86_399) == Self.active)
        #expect(memory.lastKnownGood(key(1), at: 86_400) == nil)
    }

    @Test("Jitter shortens the lifetime of a result and never lengthens it")
    func jitter() {
        let rules = BackendCachePolicy(settings: ProtectionSettings.Cache())
        for jitter in stride(from: 0.0, through: 1, by: 0.01) {
            for result in [Self.active, Self.suspended, .verdict(.granted), .authentication(.rejected(message: nil))] {
                let cacheLifetime = rules.cacheLifetime(of: result, queried: 100, jitter: jitter)
                #expect(cacheLifetime.revalidateAt <= cacheLifetime.freshUntil)
                #expect(cacheLifetime.freshUntil <= (BackendCachePolicy.isAffirmative(result) ? 160 : 105))
                #expect(cacheLifetime.freshUntil >= (BackendCachePolicy.isAffirmative(result) ? 148 : 105))
            }
        }
    }

    @Test(
        "A negative result is cached for the short lifetime and is not a last known good result",
        arguments: [
            StoredResult.authentication(.rejected(message: "no")), .verdict(.rejected(.notEntitled, message: nil)),
            .subscription(Subscription(state: .unknown)), suspended, .subscription(Subscription(state: .stale)),
            .subscription(Subscription(state: .inactive)),
        ])
    func rejectedResults(result: StoredResult) {
        var memory = memory()
        memory.store(timestamped(Self.active, at: 0, 1), subject(1), jitter: 0, at: 0)
        memory.store(timestamped(result, at: 1, 2), subject(1), jitter: 0, at: 1)
        #expect(memory.find(key(1), at: 5.9) == .fresh(result))
        #expect(memory.find(key(1), at: 6) == .missing)
        #expect(memory.lastKnownGood(key(1), at: 2) == nil)
    }

    @Test("The own editions of an inactive reader are served during an outage")
    func inactive() throws {
        var memory = memory()
        let edition = try #require(EditionID("ed-1"))
        let result = StoredResult.subscription(Subscription(state: .inactive, entitlement: .editions([edition])))
        memory.store(timestamped(result, at: 0, 1), subject(1), jitter: 0, at: 0)
        #expect(memory.find(key(1), at: 6) == .missing)
        #expect(memory.lastKnownGood(key(1), at: 6) == result)
    }

    @Test("A result that opened an upstream session is reused during an outage only")
    func sessions() {
        var memory = memory()
        let result = StoredResult.authentication(
            .authenticated(Subscriber(backend: "house", key: "ada", upstreamSession: "session")))
        memory.store(timestamped(result, at: 0, 1), subject(1), jitter: 0, at: 0)
        #expect(memory.find(key(1), at: 0) == .missing)
        #expect(memory.lastKnownGood(key(1), at: 10) == result)
    }

    @Test("The result of an earlier query never replaces the result of a later query")
    func order() {
        var memory = memory()
        memory.store(timestamped(Self.suspended, at: 5, 2), subject(1), jitter: 0, at: 6)
        memory.store(timestamped(Self.active, at: 1, 1), subject(1), jitter: 0, at: 7)
        #expect(memory.find(key(1), at: 7) == .fresh(Self.suspended))
    }

    @Test("An ended subscription invalidates the granted editions; an unknown one invalidates everything")
    func effects() {
        var memory = memory()
        let granted = StoredResult.verdict(.granted)
        let authenticated = StoredResult.authentication(.authenticated(ProtectedBackendFixture.ada))
        memory.store(timestamped(granted, at: 0, 1), subject(1), jitter: 0, at: 0)
        memory.store(timestamped(authenticated, at: 0, 2), subject(2), jitter: 0, at: 0)
        memory.store(timestamped(granted, at: 0, 3), subject(3, of: 2), jitter: 0, at: 0)
        memory.store(timestamped(Self.suspended, at: 0, 5), subject(4), jitter: 0, at: 0)
        // Queried before the suspension, returned after it.
        memory.store(timestamped(granted, at: 0, 4), subject(1), jitter: 0, at: 0)
        #expect(memory.find(key(1), at: 0) == .missing)
        #expect(memory.find(key(2), at: 0) == .fresh(authenticated))
        #expect(memory.find(key(3), at: 0) == .fresh(granted))
        memory.store(
            timestamped(.subscription(Subscription(state: .unknown)), at: 0, 6), subject(4), jitter: 0, at: 0)
        #expect(memory.lastKnownGood(key(2), at: 0) == nil)
        #expect(memory.find(key(3), at: 0) == .fresh(granted))
    }

    @Test(
        "Pitfall 9: an ended subscription seen by one session applies to the reader's other sessions",
        arguments: [SubscriptionState.inactive, .suspended, .stale])
    func otherSessions(state: SubscriptionState) throws {
        var memory = memory()
        let own = StoredResult.subscription(
            Subscription(state: .inactive, entitlement: .editions([try #require(EditionID("ed-1"))])))
        memory.store(timestamped(own, at: 0, 1), subject(2), jitter: 0, at: 0)
        memory.store(timestamped(Self.active, at: 0, 2), subject(1), jitter: 0, at: 0)
        memory.store(timestamped(.subscription(Subscription(state: state)), at: 1, 5), subject(3), jitter: 0, at: 1)
        // Queried by a fourth session before that, returned after it.
        memory.store(timestamped(Self.active, at: 1, 4), subject(4), jitter: 0, at: 1)
        // Stale concerns one session, not the reader.
        #expect(memory.lastKnownGood(key(1), at: 2) == (state == .stale ? Self.active : nil))
        #expect(memory.lastKnownGood(key(2), at: 2) == (state == .suspended ? nil : own))
        #expect(memory.lastKnownGood(key(4), at: 2) == nil)
        memory.store(timestamped(Self.active, at: 2, 6), subject(1), jitter: 0, at: 2)
        #expect(memory.lastKnownGood(key(1), at: 2) == Self.active)
    }

    @Test("Pitfall 9: an edition denied to one session is not granted to another from the cache; other editions are")
    func otherSessionsEditions() throws {
        var memory = memory()
        let (first, second) = (try #require(EditionID("ed-1")), try #require(EditionID("ed-2")))
        func verdict(_ number: Int, _ edition: EditionID) -> BackendResultStore.Subject {
            BackendResultStore.Subject(key: key(number), groups: [.subscriber(1)], edition: edition)
        }
        memory.store(timestamped(.verdict(.granted), at: 0, 1), verdict(1, first), jitter: 0, at: 0)
        memory.store(timestamped(.verdict(.granted), at: 0, 2), verdict(2, second), jitter: 0, at: 0)
        memory.store(timestamped(Self.active, at: 0, 3), subject(3), jitter: 0, at: 0)
        // An expired session has no effect on the reader's other sessions.
        memory.store(
            timestamped(.verdict(.rejected(.expired, message: nil)), at: 1, 4), verdict(4, first), jitter: 0, at: 1)
        #expect(memory.lastKnownGood(key(1), at: 2) == .verdict(.granted))
        memory.store(
            timestamped(.verdict(.rejected(.notEntitled, message: nil)), at: 1, 5), verdict(5, first), jitter: 0, at: 1)
        #expect(memory.lastKnownGood(key(1), at: 2) == nil)
        #expect(memory.lastKnownGood(key(2), at: 2) == .verdict(.granted))
        #expect(memory.lastKnownGood(key(3), at: 2) == Self.active)
    }

    @Test("A result queried before an invalidation is not cached when it arrives")
    func watermarks() {
        var memory = memory()
        memory.store(timestamped(Self.active, at: 0, 1), subject(1), jitter: 0, at: 0)
        #expect(memory.invalidate(.subscriber(1), at: LogicalTimestamp(seconds: 0, order: 3)) == 1)
        memory.store(timestamped(Self.active, at: 0, 2), subject(1), jitter: 0, at: 0)
        #expect(memory.find(key(1), at: 0) == .missing)
        memory.store(timestamped(Self.active, at: 0, 4), subject(1), jitter: 0, at: 0)
        #expect(memory.find(key(1), at: 0) == .fresh(Self.active))
        #expect(memory.invalidateAll(at: LogicalTimestamp(seconds: 0, order: 6)) == 1)
        memory.store(timestamped(Self.active, at: 0, 5), subject(1), jitter: 0, at: 0)
        #expect(memory.count == 0 && memory.bytes == 0)
    }

    @Test("Watermarks are dropped once every query from before them has ended")
    func oldWatermarks() {
        var watermarks = InvalidationWatermarks()
        for number in 1...1_000 {
            watermarks.raise(
                .subscriber(UInt64(number)), LogicalTimestamp(seconds: Double(number), order: UInt64(number)),
                maxQueryDuration: 6)
        }
        #expect(watermarks.count == 7)
        #expect(watermarks.bar(LogicalTimestamp(seconds: 0, order: 1_000), [.subscriber(1_000)]))
        #expect(!watermarks.bar(LogicalTimestamp(seconds: 0, order: 1_001), [.subscriber(1_000)]))
    }

    @Test("Entries never exceed the memory limit; the least recently used are evicted first")
    func cacheBound() {
        var memory = memory { $0.memory = 100 * BackendResultSize.entry }
        for number in 0..<100 {
            memory.store(
                timestamped(Self.active, at: 0, UInt64(number + 1)), subject(number, of: UInt64(number)), jitter: 0,
                at: 0)
        }
        #expect(memory.count == 100)
        #expect(memory.find(key(0), at: 0) == .fresh(Self.active))
        memory.store(timestamped(Self.active, at: 0, 101), subject(100, of: 100), jitter: 0, at: 0)
        #expect(memory.find(key(0), at: 0) == .fresh(Self.active))
        #expect(memory.find(key(1), at: 0) == .missing)
        #expect(memory.count == 100 && memory.bytes == 100 * BackendResultSize.entry)
    }

    @Test("Many rejected sign-ins evict no result that a reader needs in an outage")
    func rejections() {
        var memory = memory { $0.memory = 80 * BackendResultSize.entry }
        let rejected = StoredResult.authentication(.rejected(message: nil))
        for number in 0..<70 {
            memory.store(
                timestamped(Self.active, at: 0, UInt64(number + 1)), subject(number, of: UInt64(number)), jitter: 0,
                at: 0)
        }
        for number in 1_000..<10_000 {
            memory.store(
                timestamped(rejected, at: 0, UInt64(number)),
                BackendResultStore.Subject(key: key(number), groups: [.identifier(UInt64(number))]), jitter: 0, at: 0)
        }
        #expect(memory.count == 80)
        #expect((0..<70).allSatisfy { memory.lastKnownGood(key($0), at: 3_600) == Self.active })
        #expect(memory.find(key(9_999), at: 0) == .fresh(rejected) && memory.find(key(9_989), at: 0) == .missing)
        // Affirmative results may use the rest of the memory, within the limit.
        for number in 100..<180 {
            memory.store(
                timestamped(Self.active, at: 0, UInt64(number + 10_000)), subject(number, of: UInt64(number)),
                jitter: 0,
                at: 0)
        }
        #expect(memory.count == 80 && memory.bytes == 80 * BackendResultSize.entry)
    }

    @Test("Count and size stay consistent after any mix of store, find, invalidate and expiry", arguments: 1...10)
    func books(seed: UInt64) {
        var random = SeededRandom(seed: seed)
        var memory = memory { $0.memory = 50 * BackendResultSize.entry }
        var now = 0.0
        var order: UInt64 = 10
        let results = [
            Self.active, Self.suspended, .verdict(.granted), .verdict(nil), .authentication(.rejected(message: nil)),
        ]
        for _ in 0..<5_000 {
            now += Double.random(in: 0..<20, using: &random)
            order += 1
            let number = Int.random(in: 0..<200, using: &random)
            let reader = UInt64(number % 20)
            switch Int.random(in: 0..<20, using: &random) {
            case 0: memory.invalidate(.subscriber(reader), at: LogicalTimestamp(seconds: now, order: order))
            case 1 where number == 0: memory.invalidateAll(at: LogicalTimestamp(seconds: now, order: order))
            case 2...8: _ = memory.find(key(number), at: now)
            default:
                let result = results[Int.random(in: 0..<results.count, using: &random)]
                let queried = order - UInt64.random(in: 0..<9, using: &random)
                memory.store(
                    timestamped(result, at: now, queried), subject(number, of: reader),
                    jitter: Double.random(in: 0...1, using: &random), at: now)
            }
            #expect(memory.count <= 50)
            #expect(memory.bytes == memory.count * BackendResultSize.entry)
        }
        for reader in 0..<20 {
            memory.invalidate(.subscriber(UInt64(reader)), at: LogicalTimestamp(seconds: now, order: order + 1))
        }
        #expect(memory.count == 0 && memory.bytes == 0)
    }
}
