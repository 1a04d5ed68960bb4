import TestSupport
import Testing

@testable import Resilience

@Suite("Call with circuit breaker, limit and deadline", .timeLimit(.minutes(10)))
struct GuardedCallTests {
    private struct UnavailableError: Error {}

    /// A typical caller that protects its own calls.
    private struct Caller: Sendable {
        let breaker: CircuitBreaker
        let limit: ConcurrencyLimit
        let deadline: Deadline

        init(_ time: ManualTime, _ changes: Locked<[BreakerState.Change]>) {
            breaker = CircuitBreaker(BreakerSettings(), clock: time.clock.wall, random: .seeded(1)) { change in
                changes.withLock { $0.append(change) }
            }
            limit = ConcurrencyLimit(ConcurrencySettings(), sleep: time.sleep)
            deadline = Deadline(seconds: 3, sleep: time.sleep)
        }

        func call(_ operation: @escaping @Sendable () async throws -> String) async throws -> String {
            try await breaker.guarding { check in
                try await limit.enter(.reader, checkStillNeeded: check)
                return try await deadline.bound(operation, ended: limit.leave)
            }
        }
    }

    @Test("Stops calls after too many failures until the breaker admits a probe")
    func breaking() async throws {
        let time = ManualTime()
        let changes = Locked<[BreakerState.Change]>([])
        let caller = Caller(time, changes)
        for _ in 0..<5 {
            await #expect(throws: UnavailableError.self) { try await caller.call { throw UnavailableError() } }
        }
        let requested = Locked(false)
        await #expect(throws: ProtectionError.breakerOpen) {
            try await caller.call {
                requested.withLock { $0 = true }
                return "late"
            }
        }
        #expect(!requested.withLock { $0 } && caller.breaker.status == (.open, 1))
        time.advance(by: 12)
        #expect(try await caller.call { "again" } == "again")
        #expect(changes.withLock { $0 } == [.opened, .closed])
        #expect(caller.limit.load.inUse == 0)
    }

    @Test("Holds its slot until the call has ended, even after the deadline")
    func slots() async throws {
        let time = ManualTime()
        let caller = Caller(time, Locked([]))
        let latch = ManualLatch()
        let calling = Task {
            try await caller.call {
                await latch.pass()
                return "too late"
            }
        }
        await until { latch.waiting == 1 && time.sleeping == 1 }
        time.advance(by: 3)
        await #expect(throws: ProtectionError.deadlineExceeded) { try await calling.value }
        #expect(caller.limit.load.inUse == 1)
        latch.open()
        await until { caller.limit.load.inUse == 0 }
    }
}
