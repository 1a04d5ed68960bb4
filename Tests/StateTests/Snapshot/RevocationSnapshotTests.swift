import Foundation
import Gatefold
import Primitives
import Synchronization
import TestSupport
import Testing

@testable import State

@Suite("Snapshot of revocations") struct RevocationSnapshotTests {
    private static let identity = [UInt8](repeating: 1, count: 16)
    private static let history = StateHistory(generation: [UInt8](repeating: 7, count: 16), floor: nil)

    /// A process with a snapshot in a folder.
    private struct Node {
        let lists = RevocationLists()
        let freshness: RevocationFreshness
        let snapshot: RevocationSnapshot
        let path: String

        init(_ folder: String, _ clock: ManualClock, identity: [UInt8] = RevocationSnapshotTests.identity) {
            path = folder + "/snapshot"
            freshness = RevocationFreshness(clock: clock.wall)
            snapshot = RevocationSnapshot(
                path: path, identity: identity, lists: lists, freshness: freshness, clock: clock.wall)
        }

        func poll() async {
            await freshness.poll {}
        }

        var problem: SnapshotProblem? {
            do {
                _ = try snapshot.restore()
                return nil
            } catch {
                return error
            }
        }

        /// The revocations of all lists.
        var records: Set<UnsequencedRevocation> {
            let all = Mutex<Set<UnsequencedRevocation>>([])
            for list in lists.all { list.forEachPart { part in all.withLock { $0.formUnion(part) } } }
            return all.withLock(\.self)
        }
    }

    private func fill(_ lists: RevocationLists, _ count: Int, seed: UInt64) {
        var random = SeededRandom(seed: seed)
        for _ in 0..<count {
            let publication = Bool.random(using: &random) ? daily : weekly
            let reader = SubscriberPseudonym(bytes: (0..<7).map { _ in UInt8.random(in: 0...3, using: &random) })!
            let session = SessionPseudonym(bytes: (0..<4).map { _ in UInt8.random(in: 0...255, using: &random) })!
            let before = noon + Double(Int.random(in: -500...500, using: &random))
            let revocation =
                switch Int.random(in: 0..<4, using: &random) {
                case 0: Revocation(publication: publication, subscriber: reader, session: nil, before: before)
                case 1:
                    Revocation(
                        publication: publication, subscriber: reader, session: nil, before: before,
                        exempt: ExemptSession(session: session, issuedAt: before - 3))
                default: Revocation(publication: publication, subscriber: reader, session: session, before: before)
                }
            lists.list(for: publication).add(
                revocation, expires: Bool.random(using: &random) ? before + 86_400 : nil)
        }
    }

    @Test("Restores all revocations, floors, discarded expiries and the time of the poll")
    func roundTrip() async throws {
        for count in [0, 1, 20, 3_000] {
            try await withTemporaryFolder { folder in
                let clock = ManualClock()
                let first = Node(folder, clock)
                fill(first.lists, count, seed: UInt64(count))
                first.lists.raiseFloor(to: noon - 9_000)
                first.lists.list(for: daily).discard(expiredBy: noon - 8_000)
                #expect(first.snapshot.confirm(Self.history, at: clock.now))
                await first.poll()
                let polledAt = clock.now
                try first.snapshot.save()
                clock.advance(by: 100)
                let second = Node(folder, clock)
                #expect(second.problem == nil)
                #expect(second.records == first.records)
                #expect(second.lists.list(for: daily).floor == noon - 9_000)
                #expect(second.lists.list(for: daily).prunedUntil == noon - 8_000)
                #expect(second.freshness.polledAt == polledAt)
                #expect(second.freshness.age == 100)
            }
        }
    }

    @Test("Applies nothing of a file that is cut anywhere or that has a changed byte")
    func damage() async throws {
        try await withTemporaryFolder { folder in
            let clock = ManualClock()
            let first = Node(folder, clock)
            fill(first.lists, 12, seed: 3)
            _ = first.snapshot.confirm(Self.history, at: clock.now)
            await first.poll()
            try first.snapshot.save()
            let bytes = try Data(contentsOf: URL(fileURLWithPath: first.path))
            let timeBytes = SnapshotFormat.pollOffset..<SnapshotFormat.bodyOffset
            for length in 0..<bytes.count {
                try bytes.prefix(length).write(to: URL(fileURLWithPath: first.path))
                let next = Node(folder, clock)
                #expect(next.problem == .damaged, "\(length)")
                #expect(next.records.isEmpty)
            }
            for index in bytes.indices {
                var changed = bytes
                changed[index] ^= 1 << UInt8(index % 8)
                try changed.write(to: URL(fileURLWithPath: first.path))
                let next = Node(folder, clock)
                if timeBytes.contains(index) {
                    // The time in the header replaces a damaged one.
                    #expect(next.problem == nil)
                    #expect(next.freshness.polledAt == first.freshness.polledAt)
                } else {
                    #expect(next.problem == .damaged || next.problem == .otherVersion, "\(index)")
                    #expect(next.records.isEmpty)
                }
            }
        }
    }

    @Test("Refuses the file of another state, and reports a state that began another history")
    func otherState() async throws {
        try await withTemporaryFolder { folder in
            let clock = ManualClock()
            #expect(Node(folder, clock).problem == .missing)
            let first = Node(folder, clock)
            fill(first.lists, 5, seed: 4)
            _ = first.snapshot.confirm(Self.history, at: clock.now)
            await first.poll()
            try first.snapshot.save()
            let other = Node(folder, clock, identity: [UInt8](repeating: 2, count: 16))
            #expect(other.problem == .otherState)
            #expect(other.records.isEmpty)
            let generation = [UInt8](repeating: 8, count: 16)
            for (floor, isContinued) in [(nil, false), (clock.now + 5, true)] as [(Date?, Bool)] {
                let next = Node(folder, clock)
                #expect(next.problem == nil)
                let history = StateHistory(generation: generation, floor: floor)
                #expect(next.snapshot.confirm(history, at: clock.now + 10) == isContinued)
            }
        }
    }

    @Test("Sign-outs after the end of all sessions reach the state, also of a node that restarted in an outage")
    func endedSessions() async throws {
        let ended = StateHistory(generation: [UInt8](repeating: 8, count: 16), floor: noon + 100)
        // The process stops before its next poll, after it, or after it wrote the snapshot again. A poll that does not
        // confirm the generation does not change the time of the confirmation.
        let cases = [(false, false, false), (false, true, true), (true, true, false), (true, true, true)]
        for (confirms, polls, saves) in cases {
            try await withTemporaryFolder { folder in
                let clock = ManualClock(noon)
                let first = Node(folder, clock)
                fill(first.lists, 5, seed: 4)
                _ = first.snapshot.confirm(Self.history, at: clock.now)
                await first.poll()
                try first.snapshot.save()
                clock.advance(by: 90)
                await first.poll()
                try first.snapshot.save()
                clock.advance(by: 90)
                if confirms { #expect(first.snapshot.confirm(ended, at: clock.now)) }
                if polls {
                    first.lists.raiseFloor(to: noon + 100)
                    await first.poll()
                }
                if saves { try first.snapshot.save() }
                // Only the time of the poll changes.
                clock.advance(by: 90)
                if saves { await first.poll() }
                try first.snapshot.save()
                let second = Node(folder, clock)
                let origin = try second.snapshot.restore()
                #expect(second.freshness.polledAt == first.freshness.polledAt)
                let journal = try RevocationJournal(path: folder + "/journal", identity: Self.identity)
                journal.assume(origin)
                let revocation = Revocation(
                    publication: daily, subscriber: subscriber(1), session: nil, at: clock.now)
                try await journal.append(.revocation(revocation))
                #expect(second.snapshot.confirm(ended, at: clock.now))
                try await journal.confirm(ended, at: clock.now)
                let store = InMemoryStateStore()
                try await journal.replay(into: store)
                #expect(await store.revocations(after: 0).map(\.revocation) == [revocation])
            }
        }
    }

    @Test("Leaves no part of a file that a killed process did not complete")
    func killedWriter() async throws {
        try await withTemporaryFolder { folder in
            let clock = ManualClock()
            let own = Node(folder, clock)
            try Data(repeating: 1, count: 100_000).write(to: URL(fileURLWithPath: own.path + ".part"))
            _ = own.snapshot.confirm(Self.history, at: clock.now)
            await own.poll()
            try own.snapshot.save()
            #expect(Node(folder, clock).problem == nil)
            #expect(try FileManager.default.contentsOfDirectory(atPath: folder) == ["snapshot"])
        }
    }

    @Test("Writes the generation that a poll confirmed, even if no list has changed")
    func confirmedGeneration() async throws {
        try await withTemporaryFolder { folder in
            let clock = ManualClock()
            let own = Node(folder, clock)
            let histories = [7, 8].map { StateHistory(generation: [UInt8](repeating: $0, count: 16), floor: nil) }
            for history in histories {
                _ = own.snapshot.confirm(history, at: clock.now)
                await own.poll()
                try own.snapshot.save()
                #expect(try Node(folder, clock).snapshot.restore().generation == history.generation)
                clock.advance(by: 60)
            }
        }
    }

    @Test("Writes a changed list every 5 s, at the first failed poll and at the end, and else only the time")
    func pauses() async throws {
        try await withTemporaryFolder { folder in
            let clock = ManualClock()
            let own = Node(folder, clock)
            _ = own.snapshot.confirm(Self.history, at: clock.now)
            func restored() -> Int {
                let next = Node(folder, clock)
                return next.problem == nil ? next.records.count : -1
            }
            func change(_ number: UInt8) {
                own.lists.list(for: daily).add(
                    Revocation(publication: daily, subscriber: subscriber(number), session: nil, at: noon))
            }
            await own.poll()
            try own.snapshot.save()
            #expect(restored() == 0)
            change(1)
            clock.advance(by: 1)
            await own.poll()
            try own.snapshot.save()
            #expect(restored() == 0)
            clock.advance(by: 4)
            try own.snapshot.save()
            #expect(restored() == 1)
            // Only the time changes.
            let inode = try FileManager.default.attributesOfItem(atPath: own.path)[.systemFileNumber] as? Int
            clock.advance(by: 6)
            await own.poll()
            try own.snapshot.save()
            #expect(try FileManager.default.attributesOfItem(atPath: own.path)[.systemFileNumber] as? Int == inode)
            let later = Node(folder, clock)
            #expect(later.problem == nil)
            #expect(later.freshness.polledAt == own.freshness.polledAt)
            // The first failed poll.
            clock.advance(by: 5)
            change(2)
            await own.poll()
            try own.snapshot.save()
            #expect(restored() == 2)
            change(3)
            clock.advance(by: 1)
            await own.poll()
            clock.advance(by: 3)
            try own.snapshot.save()
            #expect(restored() == 3)
            change(4)
            clock.advance(by: 1)
            try own.snapshot.save()
            #expect(restored() == 3)
            try own.snapshot.save(isLast: true)
            #expect(restored() == 4)
            #expect(try FileManager.default.contentsOfDirectory(atPath: folder) == ["snapshot"])
        }
    }
}
