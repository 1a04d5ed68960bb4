import Gatefold
import TestSupport
import Testing

@testable import Protections

@Suite("A call with breaker, limit and deadline around it", .timeLimit(.minutes(10)))
struct GuardedCallTests {
    private struct Down: Error {}

    /// What anybody writes who protects calls of their own.
    private struct Caller: Sendable {
        let breaker: CircuitBreaker
        let limit: ConcurrencyLimit
        let deadline: Deadline

        init(_ time: ManualTime, _ changes: Kept<[BreakerState.Change]>) {
            breaker = CircuitBreaker(BreakerSettings(), clock: time.clock.wall, random: .seeded(1)) { change in
                changes.withLock { $0.append(change) }
            }
            limit = ConcurrencyLimit(ConcurrencySettings(), sleep: time.sleep)
            deadline = Deadline(seconds: 3, sleep: time.sleep)
        }

        func call(_ ask: @escaping @Sendable () async throws -> String) async throws -> String {
            try await breaker.guarding { check in
                try await limit.enter(.reader, stillWanted: check)
                return try await deadline.bound(ask, ended: limit.leave)
            }
        }
    }

    @Test("is made, and is no longer made once it failed too often, until it may be tried again")
    func breaking() async throws {
        let time = ManualTime()
        let changes = Kept<[BreakerState.Change]>([])
        let caller = Caller(time, changes)
        for _ in 0..<5 {
            await #expect(throws: Down.self) { try await caller.call { throw Down() } }
        }
        let asked = Kept(false)
        await #expect(throws: ProtectionError.breakerOpen) {
            try await caller.call {
                asked.withLock { $0 = true }
                return "late"
            }
        }
        #expect(!asked.withLock { $0 } && caller.breaker.status == (.open, 1))
        time.advance(by: 12)
        #expect(try await caller.call { "again" } == "again")
        #expect(changes.withLock { $0 } == [.opened, .closed])
        #expect(caller.limit.load.asking == 0)
    }

    @Test("holds its slot until it has really ended, however long ago its deadline was")
    func slots() async throws {
        let time = ManualTime()
        let caller = Caller(time, Kept([]))
        let door = Door()
        let calling = Task {
            try await caller.call {
                await door.pass()
                return "too late"
            }
        }
        await until { door.waiting == 1 && time.sleeping == 1 }
        time.advance(by: 3)
        await #expect(throws: ProtectionError.deadlineExceeded) { try await calling.value }
        #expect(caller.limit.load.asking == 1)
        door.open()
        await until { caller.limit.load.asking == 0 }
    }
}
