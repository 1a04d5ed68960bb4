import Synchronization
import TestSupport
import Testing

@testable import Resilience

@Suite("Concurrency limit", .timeLimit(.minutes(10)))
struct ConcurrencyLimitTests {
    private func limit(
        maxConcurrent: Int, waiting: Int, _ time: ManualTime = ManualTime()
    ) -> ConcurrencyLimit {
        var settings = ConcurrencySettings()
        settings.maxConcurrent = maxConcurrent
        settings.waiting = waiting
        return ConcurrencyLimit(settings, sleep: time.sleep)
    }

    @Test("Serves waiting calls in the order of arrival")
    func order() async throws {
        let limit = limit(maxConcurrent: 1, waiting: 10)
        try await limit.enter(.reader)
        let served = Locked<[Int]>([])
        try await withThrowingTaskGroup(of: Void.self) { group in
            for number in 1...5 {
                group.addTask {
                    try await limit.enter(.reader)
                    served.withLock { $0.append(number) }
                    limit.leave()
                }
                await until { limit.load.waiting == number }
            }
            limit.leave()
            try await group.waitForAll()
        }
        #expect(served.withLock { $0 } == [1, 2, 3, 4, 5])
        #expect(limit.load.inUse == 0)
    }

    @Test("Rejects beyond the queue's capacity, after the queue timeout, and on cancellation")
    func sendingAway() async throws {
        let time = ManualTime()
        let limit = limit(maxConcurrent: 1, waiting: 2, time)
        try await limit.enter(.reader)
        let extended = Task { try await limit.enter(.reader) }
        await until { limit.load.waiting == 1 }
        let withdrawn = Task { try await limit.enter(.reader) }
        await until { limit.load.waiting == 2 && time.sleeping == 2 }
        await #expect(throws: ProtectionError.queueFull) { try await limit.enter(.reader) }
        await #expect(throws: ProtectionError.busy) { try await limit.enter(.background) }
        withdrawn.cancel()
        await #expect(throws: CancellationError.self) { try await withdrawn.value }
        #expect(limit.load.waiting == 1)
        time.advance(by: 1.9)
        #expect(limit.load.waiting == 1)
        time.advance(by: 0.2)
        await #expect(throws: ProtectionError.queueTimeout) { try await extended.value }
        #expect(limit.load.waiting == 0)
        #expect(limit.load.counts.full == 1 && limit.load.counts.timedOut == 1)
    }

    @Test("Uses more slots once there are more, and none of those that were taken away")
    func changingSlots() async throws {
        let slots = Locked(0)
        var settings = ConcurrencySettings()
        settings.waiting = 10
        let limit = ConcurrencyLimit(settings, slots: { slots.withLock { $0 } }, sleep: ManualTime().sleep)
        let calls = (0..<3).map { _ in Task { try await limit.enter(.reader) } }
        await until { limit.load.waiting == 3 }
        slots.withLock { $0 = 2 }
        limit.release()
        await until { limit.load.inUse == 2 }
        #expect(limit.load.waiting == 1)
        slots.withLock { $0 = 1 }
        limit.leave()
        #expect(limit.load.inUse == 1 && limit.load.waiting == 1)
        limit.leave()
        await until { limit.load.waiting == 0 }
        #expect(limit.load.inUse == 1)
        for call in calls { try await call.value }
    }

    /// A share of a node that expires leaves it one slot, without notice to the limit.
    @Test("A waiting call uses a slot that became free without notice, before a later call and before its timeout")
    func silentlyFreeSlots() async throws {
        let slots = Locked(0)
        let time = ManualTime()
        var settings = ConcurrencySettings()
        settings.waiting = 10
        let limit = ConcurrencyLimit(settings, slots: { slots.withLock { $0 } }, sleep: time.sleep)
        let served = Locked<[Int]>([])
        let calls = (1...2).map { number in
            Task {
                try await limit.enter(.reader)
                served.withLock { $0.append(number) }
            }
        }
        await until { limit.load.waiting == 2 && time.sleeping == 2 }
        slots.withLock { $0 = 1 }
        await #expect(throws: ProtectionError.busy) { try await limit.enter(.background) }
        #expect(limit.load.inUse == 1 && limit.load.waiting == 1)
        slots.withLock { $0 = 2 }
        time.advance(by: 3)
        for call in calls { try await call.value }
        #expect(limit.load.inUse == 2 && limit.load.counts.timedOut == 0)
        #expect(served.withLock { $0.sorted() } == [1, 2])
    }

    @Test("Returns the slot if the call is no longer wanted")
    func unwanted() async throws {
        let limit = limit(maxConcurrent: 1, waiting: 2)
        await #expect(throws: ProtectionError.breakerOpen) {
            try await limit.enter(.reader) { throw ProtectionError.breakerOpen }
        }
        #expect(limit.load.inUse == 0)
    }

    @Test("Never exceeds its slots and loses no task with 1,000 tasks and random cancellations")
    func stress() async throws {
        let limit = limit(maxConcurrent: 7, waiting: 100_000)
        let present = Locked((now: 0, maxConcurrent: 0))
        let tasks = (0..<1_000).map { number in
            Task {
                try await limit.enter(.reader)
                defer { limit.leave() }
                present.withLock { $0 = ($0.now + 1, max($0.maxConcurrent, $0.now + 1)) }
                for _ in 0..<(number % 5) { await Task.yield() }
                present.withLock { $0.now -= 1 }
            }
        }
        var random = SeededRandom(seed: 3)
        for task in tasks where Bool.random(using: &random) {
            if Bool.random(using: &random) { await Task.yield() }
            task.cancel()
        }
        for task in tasks { _ = await task.result }
        #expect(present.withLock { $0.maxConcurrent } <= 7)
        #expect(present.withLock { $0.now } == 0)
        #expect(limit.load.inUse == 0 && limit.load.waiting == 0)
    }
}
