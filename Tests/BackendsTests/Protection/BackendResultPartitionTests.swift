import Gatefold
import TestSupport
import Testing

@testable import Backends
@testable import Resilience

@Suite("Per-reader share of the result cache")
struct BackendResultPartitionTests {
    private static let active = StoredResult.subscription(Subscription(state: .active))

    private func key(_ number: Int) -> BackendQueryKey { .digest(BackendQueryDigest(UInt64(number), 0, 0, 0)) }

    private func timestamped(_ result: StoredResult, _ order: Int) -> TimestampedResult<StoredResult> {
        TimestampedResult(result: result, queried: LogicalTimestamp(seconds: 0, order: UInt64(order)))
    }

    private func verdict(_ number: Int, of reader: UInt64) -> BackendResultStore.Subject {
        BackendResultStore.Subject(
            key: key(number), groups: [.subscriber(reader)], edition: EditionID("made-up-\(number)"))
    }

    @Test(
        "Pitfall 23: 200,000 made-up editions evict no other reader's result and not the reader's subscription",
        arguments: [StoredResult.verdict(.rejected(.notEntitled, message: nil)), .verdict(nil)])
    func flood(result: StoredResult) throws {
        var settings = ProtectionSettings.Cache()
        settings.memory = 2_000 * BackendResultSize.entry
        var memory = BackendResultStore(settings, maxQueryDuration: 6)
        for reader in 1...1_000 {
            let subject = BackendResultStore.Subject(key: key(reader), groups: [.subscriber(UInt64(reader))])
            memory.store(timestamped(Self.active, reader), subject, jitter: 0, at: 0)
        }
        for number in 10_000..<210_000 {
            memory.store(timestamped(result, number), verdict(number, of: 1), jitter: 0, at: 0)
        }
        #expect((2...1_000).allSatisfy { memory.lastKnownGood(key($0), at: 10) == Self.active })
        #expect(memory.count <= 1_000 + BackendResultStore.share)
        if result != .verdict(nil) { #expect(memory.lastKnownGood(key(1), at: 10) == Self.active) }
    }

    @Test("Pitfall 23: a denied edition is invalidated without a scan of the reader's other entries")
    func bounded() throws {
        var memory = BackendResultStore(ProtectionSettings.Cache(), maxQueryDuration: 6)
        for number in 0..<300 {
            memory.store(timestamped(.verdict(.granted), number + 1), verdict(number, of: 1), jitter: 0, at: 0)
        }
        let edition = EditionID("made-up-7")
        #expect(memory.slots(in: .subscriber(1), invalidatedBy: .edition, on: edition).count == 1)
        var other = verdict(7, of: 1)
        other = BackendResultStore.Subject(key: key(9_999), groups: other.groups, edition: edition)
        memory.store(timestamped(.verdict(.rejected(.notEntitled, message: nil)), 1_000), other, jitter: 0, at: 0)
        #expect(memory.lastKnownGood(key(7), at: 1) == nil)
        #expect(memory.lastKnownGood(key(8), at: 1) == .verdict(.granted))
    }
}
