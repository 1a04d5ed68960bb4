import Gatefold
import Synchronization
import TestSupport
import Testing

@testable import Protections

@Suite("The concurrency limit", .timeLimit(.minutes(10)))
struct ConcurrencyLimitTests {
    private func limit(
        most: Int, waiting: Int, _ time: ManualTime = ManualTime()
    ) -> ConcurrencyLimit {
        var settings = ConcurrencySettings()
        settings.most = most
        settings.waiting = waiting
        return ConcurrencyLimit(settings, sleep: time.sleep)
    }

    @Test("those who wait have their turn in the order they came")
    func order() async throws {
        let limit = limit(most: 1, waiting: 10)
        try await limit.enter(.reader)
        let served = Kept<[Int]>([])
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
        #expect(limit.load.asking == 0)
    }

    @Test("one too many is sent away at once, one that waited too long later, and one that is withdrawn leaves at once")
    func sendingAway() async throws {
        let time = ManualTime()
        let limit = limit(most: 1, waiting: 2, time)
        try await limit.enter(.reader)
        let patient = Task { try await limit.enter(.reader) }
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
        await #expect(throws: ProtectionError.patienceOver) { try await patient.value }
        #expect(limit.load.waiting == 0)
        #expect(limit.load.counts.full == 1 && limit.load.counts.outOfPatience == 1)
    }

    @Test("a question that is no longer wanted when its turn comes gives the slot back")
    func unwanted() async throws {
        let limit = limit(most: 1, waiting: 2)
        await #expect(throws: ProtectionError.breakerOpen) {
            try await limit.enter(.reader) { throw ProtectionError.breakerOpen }
        }
        #expect(limit.load.asking == 0)
    }

    @Test("under a thousand tasks, half of them withdrawn at some moment, no slot is exceeded and nobody is lost")
    func stress() async throws {
        let limit = limit(most: 7, waiting: 100_000)
        let present = Kept((now: 0, most: 0))
        let tasks = (0..<1_000).map { number in
            Task {
                try await limit.enter(.reader)
                defer { limit.leave() }
                present.withLock { $0 = ($0.now + 1, max($0.most, $0.now + 1)) }
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
        #expect(present.withLock { $0.most } <= 7)
        #expect(present.withLock { $0.now } == 0)
        #expect(limit.load.asking == 0 && limit.load.waiting == 0)
    }
}
