import Commerce
import Foundation
import Gatefold
import State
import TestSupport
import Testing

private let day: TimeInterval = 86_400

/// Tests which facts every state store retains, and for how long.
@Suite("Pitfall 21: retention of a state store", .stateServers) struct RetentionConformance {
    private let month = TokenBounds(lifetime: 30 * day, afterExpiry: 60 * day)
    private let hour = TokenBounds(lifetime: 3600, afterExpiry: 0)

    private func end(_ number: UInt8, at timestamp: Date) -> Revocation {
        Revocation(publication: daily, subscriber: subscriber(number), session: nil, at: timestamp)
    }

    private func count(_ store: any RevocationStore) async throws -> Int {
        try await store.revocations(after: 0).count
    }

    @Test(
        "Retains a revocation as long as the tokens it ends, even if lifetimes were shortened since",
        arguments: TestedStore<any RevocationStore & StateRetention>.all)
    func shortened(kind: TestedStore<any RevocationStore & StateRetention>) async throws {
        let clock = ManualClock()
        try await kind.with(clock: clock.wall) { store in
            try await store.record(month, of: daily)
            try await store.record(end(1, at: clock.now))
            try await store.record(hour, of: daily)
            // The lifetime, the renewal window and the margin.
            try await store.maintain(for: 120, clock)
            #expect(try await count(store) == 1)
            try await store.maintain(for: 2, clock)
            #expect(try await count(store) == 0)
        }
    }

    @Test("Prunes nothing after one start with the clock ahead", arguments: [100 * day, 365 * day])
    func startAhead(ahead: TimeInterval) async throws {
        try await withTemporaryFolder { folder in
            let clock = ManualClock()
            func open() throws -> SQLStateStore {
                try SQLStateStore(path: folder + "/state.sqlite", clock: clock.wall)
            }
            let first = try open()
            try await first.record(month, of: daily)
            try await first.record(end(1, at: clock.now))
            try await first.recordKnownDevice([1], of: [1])
            _ = try await first.maintain()
            clock.step(by: ahead)
            let second = try open()
            try await second.record(hour, of: daily)
            for _ in 0..<3 {
                clock.advance(by: 1)
                _ = try await second.maintain()
            }
            clock.step(by: -ahead)
            let third = try open()
            _ = try await third.maintain()
            #expect(try await count(third) == 1)
            #expect(try await third.isKnownDevice([1]))
        }
    }

    @Test(
        "Prunes nothing after the clock steps forward at run time",
        arguments: TestedStore<any RevocationStore & StateRetention>.all)
    func stepsAhead(kind: TestedStore<any RevocationStore & StateRetention>) async throws {
        let clock = ManualClock()
        try await kind.with(clock: clock.wall) { store in
            try await store.record(month, of: daily)
            try await store.record(end(1, at: clock.now))
            clock.step(by: 400 * day)
            // Long enough for an operator to notice.
            try await store.maintain(for: 7, clock)
            #expect(try await count(store) == 1)
        }
    }

    @Test(
        "Retains a revocation as long as tokens that were sealed while the clock was ahead",
        arguments: TestedStore<any RevocationStore & StateRetention>.all)
    func sealedAhead(kind: TestedStore<any RevocationStore & StateRetention>) async throws {
        let clock = ManualClock()
        try await kind.with(clock: clock.wall) { store in
            try await store.record(hour, of: daily)
            clock.step(by: 365 * day)
            _ = try await store.maintain()
            clock.step(by: -365 * day)
            try await store.record(end(1, at: clock.now))
            try await store.maintain(for: 390, clock)
            #expect(try await count(store) == 1)
            try await store.maintain(for: 10, clock)
            #expect(try await count(store) == 0)
        }
    }

    @Test(
        "Reports up to which expiry it has pruned, so a longer renewal window restores no token",
        arguments: TestedStore<any RevocationStore & StateRetention>.all)
    func lengthened(kind: TestedStore<any RevocationStore & StateRetention>) async throws {
        let clock = ManualClock()
        try await kind.with(clock: clock.wall) { store in
            try await store.record(hour, of: daily)
            let revoked = end(1, at: clock.now)
            try await store.record(revoked)
            let expiresAt = clock.now + 3600
            let lists = RevocationLists()
            let list = lists.list(for: daily)
            try await store.maintain(for: 29, clock)
            try await store.record(end(2, at: clock.now))
            try await store.maintain(for: 3, clock)
            let prunedUntil = try await maintained(store, clock)
            list.discard(expiredBy: try #require(prunedUntil[daily]))
            #expect(list.hasPruned(expiresAt))
            #expect(!list.hasPruned(clock.now - 20 * day))
            #expect(try await count(store) == 1)
        }
    }

    private func maintained(_ store: any StateRetention, _ clock: ManualClock) async throws -> [PublicationID: Date] {
        clock.advance(by: 3600)
        return try await store.maintain()
    }

    @Test(
        "Retains revocations for years if no token lifetime is recorded",
        arguments: TestedStore<any RevocationStore & StateRetention>.all)
    func unknown(kind: TestedStore<any RevocationStore & StateRetention>) async throws {
        let clock = ManualClock()
        try await kind.with(clock: clock.wall) { store in
            try await store.record(end(1, at: clock.now))
            for _ in 0..<50 {
                clock.advance(by: 100 * day)
                _ = try await store.maintain()
            }
            #expect(try await count(store) == 1)
        }
    }

    @Test(
        "Never reuses the sequence number of a revocation",
        arguments: TestedStore<any RevocationStore & StateRetention>.all)
    func numbers(kind: TestedStore<any RevocationStore & StateRetention>) async throws {
        let clock = ManualClock()
        try await kind.with(clock: clock.wall) { store in
            try await store.record(hour, of: daily)
            try await store.record(end(1, at: clock.now))
            let number = try #require(try await store.revocations(after: 0).last?.sequence)
            try await store.maintain(for: 40, clock)
            #expect(try await count(store) == 0)
            let new = end(2, at: clock.now)
            try await store.record(new)
            #expect(try await store.revocations(after: number).map(\.revocation) == [new])
        }
    }

    @Test(
        "Retains few revocations of a reader who signs in and out repeatedly",
        arguments: TestedStore<any RevocationStore & StateRetention>.all)
    func bounded(kind: TestedStore<any RevocationStore & StateRetention>) async throws {
        let clock = ManualClock()
        try await kind.with(clock: clock.wall) { store in
            try await store.record(month, of: daily)
            let list = RevocationList(publication: daily)
            for number in 0..<2_000 {
                let session = SessionPseudonym(bytes: [1, 0, UInt8(number / 256), UInt8(number % 256)])!
                let ended = Revocation(
                    publication: daily, subscriber: subscriber(1), session: session, at: clock.now)
                try await store.record(ended)
                list.add(ended)
                clock.advance(by: 10)
            }
            let records = try await store.revocations(after: 0)
            #expect(records.count <= 65)
            #expect(list.count <= 65)
            for record in records { list.add(record.revocation, expires: record.expires) }
            #expect(list.count <= 65)
            for number in 0..<2_000 {
                let session = SessionPseudonym(bytes: [1, 0, UInt8(number / 256), UInt8(number % 256)])!
                let subject = SaltSubject(
                    subscriber: subscriber(1), session: session, issuedAt: noon + Double(number) * 10)
                #expect(list.isRevoked(subject))
            }
            // Other readers are not affected.
            #expect(
                !list.isRevoked(
                    SaltSubject(subscriber: subscriber(2), session: SessionPseudonym(device(1)), issuedAt: noon)))
        }
    }

    @Test("A known device expires by the store's own clock")
    func knownDevices() async throws {
        try await withTemporaryFolder { folder in
            let clock = ManualClock()
            let store = try SQLStateStore(
                path: folder + "/state.sqlite", knownDeviceLifetime: 3 * day, clock: clock.wall)
            try await store.recordKnownDevice([1], of: [1])
            clock.step(by: 500 * day)
            try await store.recordKnownDevice([2], of: [1])
            _ = try await store.maintain()
            clock.step(by: -500 * day)
            #expect(try await store.isKnownDevice([1]))
            try await store.maintain(for: 2, clock)
            try await store.recordKnownDevice([3], of: [1])
            try await store.maintain(for: 2, clock)
            #expect(try await !store.isKnownDevice([1]))
            #expect(try await store.isKnownDevice([3]))
        }
    }
}
