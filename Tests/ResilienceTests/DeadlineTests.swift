import Primitives
import Synchronization
import TestSupport
import Testing

@testable import Resilience

@Suite("Deadline of a call", .timeLimit(.minutes(10)))
struct DeadlineTests {
    private let time = ManualTime()
    private var deadline: Deadline { Deadline(seconds: 3, sleep: time.sleep) }
    private struct Reset: Error {}

    @Test("Passes a timely result and an error through")
    func inTime() async throws {
        let ended = Locked(0)
        let result = try await deadline.bound({ "yes" }, ended: { ended.withLock { $0 += 1 } })
        #expect(result == "yes")
        await #expect(throws: Reset.self) {
            try await deadline.bound({ throw Reset() }, ended: { ended.withLock { $0 += 1 } })
        }
        #expect(ended.withLock { $0 } == 2)
    }

    @Test("Reports an overdue local computation separately from a slow call")
    func ownWork() async throws {
        let (first, second) = (ManualLatch(), ManualLatch())
        let operation = { [deadline] (waitsOutside: Bool) in
            Task {
                try await deadline.bound(
                    {
                        await LocalWork.during { if !waitsOutside { await first.pass() } }
                        if waitsOutside { await second.pass() }
                    }, ended: {})
            }
        }
        let (inside, outside) = (operation(false), operation(true))
        await until { first.waiting == 1 && second.waiting == 1 && time.sleeping == 2 }
        time.advance(by: 3)
        await #expect(throws: ProtectionError.passwordOverdue) { try await inside.value }
        await #expect(throws: ProtectionError.deadlineExceeded) { try await outside.value }
        first.open()
        second.open()
    }

    @Test("Returns at once, cancels the call, and reports its end only after it has ended")
    func tooLate() async throws {
        let latch = ManualLatch()
        let ended = Locked(false)
        let wasCancelled = Locked(false)
        let inUse = Task { [deadline] in
            try await deadline.bound(
                {
                    await latch.pass()
                    wasCancelled.withLock { $0 = Task.isCancelled }
                }, ended: { ended.withLock { $0 = true } })
        }
        await until { latch.waiting == 1 && time.sleeping == 1 }
        time.advance(by: 3)
        await #expect(throws: ProtectionError.deadlineExceeded) { try await inUse.value }
        #expect(!ended.withLock { $0 })
        latch.open()
        await until { ended.withLock { $0 } }
        #expect(wasCancelled.withLock { $0 })
    }

    @Test("Releases a disconnected caller and cancels the call")
    func disconnecting() async throws {
        let latch = ManualLatch()
        let ended = Locked(false)
        let inUse = Task { [deadline] in
            try await deadline.bound({ await latch.pass() }, ended: { ended.withLock { $0 = true } })
        }
        await until { latch.waiting == 1 }
        inUse.cancel()
        await #expect(throws: CancellationError.self) { try await inUse.value }
        #expect(!ended.withLock { $0 })
        latch.open()
        await until { ended.withLock { $0 } && time.sleeping == 0 }
    }
}
