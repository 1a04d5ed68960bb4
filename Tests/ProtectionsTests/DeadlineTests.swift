import Synchronization
import TestSupport
import Testing

@testable import Protections

@Suite("The deadline", .timeLimit(.minutes(10)))
struct DeadlineTests {
    private let time = ManualTime()
    private var deadline: Deadline { Deadline(seconds: 3, sleep: time.sleep) }
    private struct Reset: Error {}

    @Test("leaves an answer in time, and an error, as they are")
    func inTime() async throws {
        let ended = Kept(0)
        let word = try await deadline.bound({ "yes" }, ended: { ended.withLock { $0 += 1 } })
        #expect(word == "yes")
        await #expect(throws: Reset.self) {
            try await deadline.bound({ throw Reset() }, ended: { ended.withLock { $0 += 1 } })
        }
        #expect(ended.withLock { $0 } == 2)
    }

    @Test("says so when it passes while the call is at work of our own, and not when that is done")
    func ownWork() async throws {
        let (first, second) = (Door(), Door())
        let ask = { [deadline] (waitsOutside: Bool) in
            Task {
                try await deadline.bound(
                    {
                        await OwnWork.during { if !waitsOutside { await first.pass() } }
                        if waitsOutside { await second.pass() }
                    }, ended: {})
            }
        }
        let (inside, outside) = (ask(false), ask(true))
        await until { first.waiting == 1 && second.waiting == 1 && time.sleeping == 2 }
        time.advance(by: 3)
        await #expect(throws: ProtectionError.passwordOverdue) { try await inside.value }
        await #expect(throws: ProtectionError.deadlineExceeded) { try await outside.value }
        first.open()
        second.open()
    }

    @Test("tells whoever asked at once, cancels the call, and waits for its end before it says that it ended")
    func tooLate() async throws {
        let door = Door()
        let ended = Kept(false)
        let wasCancelled = Kept(false)
        let asking = Task { [deadline] in
            try await deadline.bound(
                {
                    await door.pass()
                    wasCancelled.withLock { $0 = Task.isCancelled }
                }, ended: { ended.withLock { $0 = true } })
        }
        await until { door.waiting == 1 && time.sleeping == 1 }
        time.advance(by: 3)
        await #expect(throws: ProtectionError.deadlineExceeded) { try await asking.value }
        #expect(!ended.withLock { $0 })
        door.open()
        await until { ended.withLock { $0 } }
        #expect(wasCancelled.withLock { $0 })
    }

    @Test("lets go of an asker who goes away, and cancels the call")
    func goingAway() async throws {
        let door = Door()
        let ended = Kept(false)
        let asking = Task { [deadline] in
            try await deadline.bound({ await door.pass() }, ended: { ended.withLock { $0 = true } })
        }
        await until { door.waiting == 1 }
        asking.cancel()
        await #expect(throws: CancellationError.self) { try await asking.value }
        #expect(!ended.withLock { $0 })
        door.open()
        await until { ended.withLock { $0 } && time.sleeping == 0 }
    }
}
