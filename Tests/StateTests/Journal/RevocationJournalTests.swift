import Foundation
import Gatefold
import SQLAccess
import Synchronization
import TestSupport
import Testing

@testable import State

#if canImport(Glibc)
    import Glibc
#endif

@Suite("Journal of revocations") struct RevocationJournalTests {
    private static let identity = [UInt8](repeating: 1, count: 16)
    private static let history = StateHistory(generation: [UInt8](repeating: 7, count: 16), floor: nil)

    private func revocation(_ number: Int) -> Revocation {
        Revocation(
            publication: daily, subscriber: subscriber(UInt8(number % 200)), session: nil, at: noon + Double(number))
    }

    private func journal(
        in folder: String, identity: [UInt8] = identity, capacity: Int = 100, events: EventLog = EventLog()
    ) throws -> RevocationJournal {
        try RevocationJournal(
            path: folder + "/journal", identity: identity, capacity: capacity, observe: { events.add($0) })
    }

    private final class EventLog: Sendable {
        private let all = Mutex<[JournalEvent]>([])
        func add(_ event: JournalEvent) { all.withLock { $0.append(event) } }
        var events: [JournalEvent] { all.withLock(\.self) }
    }

    @Test("Retains entries until they are replayed, also in a new process, and then deletes the file")
    func replay() async throws {
        try await withTemporaryFolder { folder in
            let first = try journal(in: folder)
            try await first.confirm(Self.history, at: noon)
            #expect(!FileManager.default.fileExists(atPath: folder + "/journal"))
            for number in 0..<5 { try await first.append(.revocation(revocation(number))) }
            let second = try journal(in: folder)
            #expect(second.entries == (0..<5).map { .revocation(revocation($0)) })
            try await second.confirm(Self.history, at: noon)
            let store = InMemoryStateStore()
            try await second.replay(into: store)
            #expect(second.count == 0)
            #expect(!second.needsReplay)
            #expect(!FileManager.default.fileExists(atPath: folder + "/journal"))
            #expect(await store.revocations(after: 0).map(\.revocation) == (0..<5).map(revocation))
            try await second.append(.revocation(revocation(9)))
            #expect(try journal(in: folder).entries == [.revocation(revocation(9))])
        }
    }

    @Test("Announces revocations that are recorded together at once")
    func together() async throws {
        try await withTemporaryFolder { folder in
            let announced = Mutex<[[Revocation]]>([])
            let state = InMemoryStateStore()
            let store = JournaledSessionStore(
                state, journal: try journal(in: folder), now: { noon },
                announce: { revocations in announced.withLock { $0.append(revocations) } })
            let revocations = (0..<3).map(revocation)
            try await store.record(revocations)
            #expect(announced.withLock(\.self) == [revocations])
            #expect(await state.revocations(after: 0).map(\.revocation) == revocations)
        }
    }

    @Test("Writes concurrent entries, each to disk before its call returns")
    func concurrent() async throws {
        try await withTemporaryFolder { folder in
            let events = EventLog()
            let own = try journal(in: folder, capacity: 1_000, events: events)
            try await own.confirm(Self.history, at: noon)
            try await withThrowingTaskGroup { group in
                for number in 0..<500 {
                    group.addTask {
                        let entry = JournalEntry.revocation(self.revocation(number))
                        try await own.append(entry)
                        if number.isMultiple(of: 50) {
                            // Only one process may open the file, because it cuts off the end.
                            let data = try Data(contentsOf: URL(fileURLWithPath: folder + "/journal"))
                            #expect(try #require(JournalFormat.decode(Array(data))).entries.contains(entry))
                        }
                    }
                }
                try await group.waitForAll()
            }
            #expect(events.events.count { $0 == .began } == 1)
            #expect(events.events.first == .began)
            #expect(Set(try journal(in: folder).entries) == Set((0..<500).map { .revocation(revocation($0)) }))
        }
    }

    @Test("Refuses entries when it is full, and accepts them after a replay")
    func full() async throws {
        try await withTemporaryFolder { folder in
            let own = try journal(in: folder, capacity: 3)
            try await own.confirm(Self.history, at: noon)
            for number in 0..<3 { try await own.append(.revocation(revocation(number))) }
            await #expect(throws: JournalFailure.full) { try await own.append(.revocation(self.revocation(3))) }
            try await own.replay(into: InMemoryStateStore())
            try await own.append(.revocation(revocation(3)))
        }
    }

    @Test("Continues a replay that the store interrupts, and repeats it after a crash")
    func interrupted() async throws {
        try await withTemporaryFolder { folder in
            let own = try journal(in: folder)
            try await own.confirm(Self.history, at: noon)
            for number in 0..<6 { try await own.append(.revocation(revocation(number))) }
            let store = InterruptedStore(failing: 4, with: StateStoreError.unreachable(reason: "test"))
            await #expect(throws: StateStoreError.self) { try await own.replay(into: store) }
            #expect(own.count == 3)
            try await own.append(.revocation(revocation(6)))
            // A crash now repeats everything.
            #expect(try journal(in: folder).entries.count == 7)
            try await own.replay(into: store)
            #expect(await store.recorded == (0..<7).map(revocation))
            #expect(!own.needsReplay)
        }
    }

    @Test("Retains an entry that the store rejects, and writes those after it")
    func rejectedEntry() async throws {
        let errors: [StateStoreError] = [.unreadableRow(table: "revocation"), .unavailable(reason: "test")]
        for error in errors {
            try await withTemporaryFolder { folder in
                let own = try journal(in: folder)
                try await own.confirm(Self.history, at: noon)
                for number in 0..<3 { try await own.append(.revocation(revocation(number))) }
                let store = InterruptedStore(failing: 2, with: error)
                await #expect(throws: StateStoreError.self) { try await own.replay(into: store) }
                #expect(own.entries == [.revocation(revocation(1))])
                #expect(await store.recorded == [revocation(0), revocation(2)])
                try await own.replay(into: store)
                #expect(await store.recorded == [revocation(0), revocation(2), revocation(1)])
                #expect(!own.needsReplay)
            }
        }
    }

    @Test("Cuts off an incomplete entry at the end, and appends after it")
    func cutTail() async throws {
        try await withTemporaryFolder { folder in
            let own = try journal(in: folder)
            try await own.confirm(Self.history, at: noon)
            for number in 0..<2 { try await own.append(.revocation(revocation(number))) }
            let file = try FileHandle(forWritingTo: URL(fileURLWithPath: folder + "/journal"))
            try file.seekToEnd()
            try file.write(contentsOf: Data(repeating: 3, count: 200))
            try file.close()
            let events = EventLog()
            let next = try journal(in: folder, events: events)
            #expect(events.events == [.cut(bytes: 200), .count(2)])
            try await next.confirm(Self.history, at: noon)
            try await next.append(.revocation(revocation(2)))
            #expect(try journal(in: folder).entries == (0..<3).map { .revocation(revocation($0)) })
        }
    }

    @Test("Cuts the file back after a write that failed")
    func failedWrite() throws {
        typealias Create = @convention(c) (UnsafePointer<CChar>, CUnsignedInt) -> CInt
        let create = unsafeBitCast(try #require(dlsym(nil, "memfd_create")), to: Create.self)
        let (allowSealing, addSeals, againstGrowth): (CUnsignedInt, CInt, CInt) = (2, 1_033, 4)
        let descriptor = create("journal", allowSealing)
        defer { close(descriptor) }
        // The file may not grow, so that the second page of a write fails.
        let isSealed = ftruncate(descriptor, 8_192) == 0 && fcntl(descriptor, addSeals, againstGrowth) == 0
        try #require(isSealed)
        let file = try JournalFile("/proc/self/fd/\(descriptor)", creates: false)
        #expect(throws: FileSync.SyncFailure.self) {
            try file.append([UInt8](repeating: 1, count: 8_192), at: 4_096)
        }
        #expect(lseek(descriptor, 0, SEEK_END) == 4_096)
    }

    @Test("Reports damaged entries between others")
    func damagedMiddle() async throws {
        try await withTemporaryFolder { folder in
            let own = try journal(in: folder)
            try await own.confirm(Self.history, at: noon)
            for number in 0..<3 { try await own.append(.revocation(revocation(number))) }
            var bytes = try Data(contentsOf: URL(fileURLWithPath: folder + "/journal"))
            bytes[2 * JournalFormat.slotSize + 40] ^= 1
            try bytes.write(to: URL(fileURLWithPath: folder + "/journal"))
            let events = EventLog()
            #expect(try journal(in: folder, events: events).entries.count == 2)
            #expect(events.events == [.damaged(1), .count(2)])
        }
    }

    @Test("Renames a file with another identity or a damaged header")
    func rejectedFile() async throws {
        try await withTemporaryFolder { folder in
            for isDamaged in [false, true] {
                let own = try journal(in: folder)
                try await own.confirm(Self.history, at: noon)
                try await own.append(.revocation(revocation(1)))
                if isDamaged {
                    var bytes = try Data(contentsOf: URL(fileURLWithPath: folder + "/journal"))
                    bytes[3] ^= 1
                    try bytes.write(to: URL(fileURLWithPath: folder + "/journal"))
                }
                let events = EventLog()
                let other = try journal(
                    in: folder, identity: isDamaged ? Self.identity : [UInt8](repeating: 2, count: 16), events: events)
                #expect(other.entries == [])
                #expect(
                    events.events == [
                        isDamaged ? .rejected(.damaged, entries: nil) : .rejected(.otherState, entries: 1)
                    ])
                #expect(FileManager.default.fileExists(atPath: folder + "/journal.rejected"))
            }
        }
    }

    @Test("Retains earlier rejected files, and deletes a file without a complete header")
    func severalRejectedFiles() async throws {
        try await withTemporaryFolder { folder in
            for number in 1...3 {
                let own = try journal(in: folder)
                try await own.confirm(Self.history, at: noon)
                try await own.append(.revocation(revocation(number)))
                _ = try journal(in: folder, identity: [UInt8](repeating: 2, count: 16))
            }
            try Data(repeating: 0, count: JournalFormat.slotSize - 1).write(
                to: URL(fileURLWithPath: folder + "/journal"))
            let events = EventLog()
            #expect(try !journal(in: folder, events: events).needsReplay)
            #expect(events.events == [])
            let names = ["journal.rejected", "journal.rejected.2", "journal.rejected.3"]
            #expect(try FileManager.default.contentsOfDirectory(atPath: folder).sorted() == names)
            for (index, name) in names.enumerated() {
                let data = try Data(contentsOf: URL(fileURLWithPath: folder + "/" + name))
                let content = try #require(JournalFormat.decode(Array(data)))
                #expect(content.entries == [.revocation(revocation(index + 1))])
            }
        }
    }

    @Test("Renames a file of another generation, except if all sessions were ended after it")
    func otherGeneration() async throws {
        try await withTemporaryFolder { folder in
            let other = [UInt8](repeating: 8, count: 16)
            for (floor, isRejected) in [(nil, true), (noon - 86_400, true), (noon + 5, false)] as [(Date?, Bool)] {
                let own = try journal(in: folder)
                try await own.confirm(Self.history, at: noon)
                try await own.append(.revocation(revocation(1)))
                let next = try journal(in: folder)
                try await next.confirm(StateHistory(generation: other, floor: floor), at: noon + 10)
                #expect(next.entries.isEmpty == isRejected)
                #expect(next.needsReplay != isRejected)
                if !isRejected { try await next.replay(into: InMemoryStateStore()) }
            }
        }
    }

    @Test("Removes a device that was not used since, and no other")
    func deviceRemoval() async throws {
        try await withTemporaryFolder { folder in
            let own = try journal(in: folder)
            try await own.confirm(Self.history, at: noon)
            let store = InMemoryStateStore()
            for number in [1, 2] as [UInt8] {
                _ = await store.admit(
                    device(number), of: subscriber(1), in: daily, limit: DeviceLimit(maxDevices: 5, onLimit: .evict),
                    at: noon + (number == 1 ? 0 : 60))
                try await own.append(.deviceRemoval(device(number), of: subscriber(1), in: daily, at: noon + 30))
            }
            try await own.replay(into: store)
            #expect(await store.devices(of: subscriber(1), in: daily).map(\.reference) == [device(2)])
        }
    }
}

/// A store whose call with a certain number fails once.
private actor InterruptedStore: SessionStore {
    private let failing: Int
    private let error: StateStoreError
    private var calls = 0
    private(set) var recorded: [Revocation] = []

    init(failing: Int, with error: StateStoreError) {
        self.failing = failing
        self.error = error
    }

    func record(_ revocation: Revocation) throws {
        calls += 1
        if calls == failing { throw error }
        recorded.append(revocation)
    }

    func admit(
        _ device: DevicePseudonym, of subscriber: SubscriberPseudonym, in publication: PublicationID,
        limit: DeviceLimit, at timestamp: Date
    ) -> DeviceRegistration { .rejected }
    func devices(of subscriber: SubscriberPseudonym, in publication: PublicationID) -> [Device] { [] }
    func touch(
        _ device: DevicePseudonym, of subscriber: SubscriberPseudonym, in publication: PublicationID, at timestamp: Date
    ) {}
    func remove(
        _ device: DevicePseudonym, of subscriber: SubscriberPseudonym, in publication: PublicationID,
        usedUntil timestamp: Date
    ) {}
    func revocations(after position: ChangePosition, limit: Int) -> RevocationPage { RevocationPage() }
    func revocations(numbered sequences: [Int64]) -> RevocationPage { RevocationPage() }
    func recordKnownDevice(_ digest: [UInt8], of identifier: [UInt8]) -> Bool { true }
    func isKnownDevice(_ digest: [UInt8]) -> Bool { false }
}
