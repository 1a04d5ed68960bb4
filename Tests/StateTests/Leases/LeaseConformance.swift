import Foundation
import Gatefold
import TestSupport
import Testing

@testable import State

@Suite("Leases", .stateServers) struct LeaseConformance {
    @Test("One owner has a lease until its end", arguments: TestedStore<any LeaseStore>.durable { $0 })
    func exclusive(kind: TestedStore<any LeaseStore>) async throws {
        let clock = ManualClock(noon)
        try await kind.with(2, clock: clock.wall) { stores in
            #expect(try await stores[0].takeLease("a", owner: [1], for: 30))
            #expect(try await !stores[1].takeLease("a", owner: [2], for: 30))
            #expect(try await stores[1].takeLease("b", owner: [2], for: 30))
            // The owner extends it.
            clock.advance(by: 20)
            #expect(try await stores[0].extendLease("a", owner: [1], for: 30))
            clock.advance(by: 20)
            #expect(try await !stores[1].takeLease("a", owner: [2], for: 30))
            clock.advance(by: 10)
            #expect(try await stores[1].takeLease("a", owner: [2], for: 30))
            // The former owner neither extends nor ends it.
            #expect(try await !stores[0].extendLease("a", owner: [1], for: 30))
            try await stores[0].endLease("a", owner: [1])
            #expect(try await !stores[0].takeLease("a", owner: [1], for: 30))
            try await stores[1].endLease("a", owner: [2])
            // Nor does the former owner extend a lease that another process had and ended.
            #expect(try await !stores[0].extendLease("a", owner: [1], for: 30))
            #expect(try await stores[0].takeLease("a", owner: [1], for: 30))
        }
    }

    @Test(
        "A hundred processes that take one lease at the same time",
        arguments: TestedStore<any LeaseStore>.durable { $0 })
    func race(kind: TestedStore<any LeaseStore>) async throws {
        try await kind.with(3) { stores in
            let taken = try await withThrowingTaskGroup(of: Bool.self) { group in
                for number: UInt8 in 0..<100 {
                    group.addTask { try await stores[Int(number) % 3].takeLease("a", owner: [number], for: 30) }
                }
                return try await group.reduce(0) { $0 + ($1 ? 1 : 0) }
            }
            #expect(taken == 1)
        }
    }

    @Test("The retention deletes leases that ended an hour ago, and leaves others", arguments: states)
    func retention(kind: TestedStore<any StateStore>) async throws {
        let clock = ManualClock(noon)
        try await kind.with(clock: clock.wall) { store in
            #expect(try await store.takeLease("ended", owner: [1], for: 30))
            #expect(try await store.takeLease("extended", owner: [1], for: 30))
            let sql = try #require(store as? SQLStateStore)
            try await sql.database.write { db in
                try db.execute(
                    "INSERT INTO lease (name, owner, ends, ends_set) VALUES (?, ?, 0.0, 0.0)",
                    [StateCopy.marker, Data([1])])
            }
            clock.advance(by: 3660)
            #expect(try await store.extendLease("extended", owner: [1], for: 30))
            _ = try await store.maintain()
            #expect(try await !store.extendLease("ended", owner: [1], for: 30))
            #expect(try await store.extendLease("extended", owner: [1], for: 30))
            // The mark of an unfinished copy is a lease too.
            await #expect(throws: StateStoreError.self) { try await store.checkIsComplete() }
        }
    }

    private static let states = TestedStore<any StateStore>.durable { $0 }

    /// A store whose lease another process can take.
    private actor OneLease: LeaseStore {
        private var owner: [UInt8] = []
        private(set) var ended = 0

        func takeLease(_ name: String, owner: [UInt8], for duration: TimeInterval) -> Bool {
            guard self.owner.isEmpty else { return false }
            self.owner = owner
            return true
        }

        func extendLease(_ name: String, owner: [UInt8], for duration: TimeInterval) -> Bool { self.owner == owner }

        func endLease(_ name: String, owner: [UInt8]) {
            ended += 1
            if self.owner == owner { self.owner = [] }
        }

        func lose() { owner = [9] }
    }

    @Test("The task runs under its lease, which ends with it")
    func task() async throws {
        let store = OneLease()
        let result = try await store.withLease("a") { lease in
            #expect(lease.isHeld)
            let second = try await store.withLease("a") { _ in 2 }
            #expect(second == nil)
            return 1
        }
        #expect(result == 1)
        #expect(await store.ended == 1)
        #expect(try await store.withLease("a") { _ in 3 } == 3)
    }

    @Test("The task is cancelled when its lease is lost")
    func lost() async throws {
        let store = OneLease()
        await #expect(throws: CancellationError.self) {
            _ = try await store.withLease("a", sleep: { _ in await store.lose() }) { _ in
                try await Task.sleep(for: .seconds(60))
            }
        }
    }

    @Test("Pitfall 27: a process that was paused past the end of its lease knows that it is lost")
    func paused() async throws {
        let clock = ManualClock(noon)
        let store = OneLease()
        _ = try await store.withLease("a", clock: clock.wall, sleep: { _ in try await Task.sleep(for: .seconds(60)) }) {
            lease in
            clock.advance(by: 29)
            #expect(lease.isHeld)
            clock.advance(by: 1)
            #expect(!lease.isHeld)
        }
    }
}
