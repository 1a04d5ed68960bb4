import Resilience
import TestSupport
import Testing

@testable import Receipts

@Suite("Protection of store requests", .timeLimit(.minutes(10)))
struct ProtectedStoreTests {
    private struct UnavailableError: Error {}

    @Test("Limits duration and concurrency, and opens the circuit breaker while the store fails")
    func guarded() async throws {
        let time = ManualTime()
        var settings = StoreProtection()
        settings.concurrency.maxConcurrent = 1
        let services = StoreServices(clock: time.clock.wall, random: .seeded(1))
        let store = ProtectedStore(settings, services: services, sleep: time.sleep)
        #expect(try await store.perform { "word" } == "word")
        let latch = ManualLatch()
        let first = Task {
            try await store.perform {
                await latch.pass()
                return "late"
            }
        }
        await until { latch.waiting == 1 }
        let second = Task { try await store.perform { "next" } }
        await until { time.sleeping == 2 }
        time.advance(by: 2)
        await #expect(throws: ProtectionError.queueTimeout) { try await second.value }
        time.advance(by: 8)
        await #expect(throws: ProtectionError.deadlineExceeded) { try await first.value }
        latch.open()
        for _ in 0..<4 {
            await #expect(throws: UnavailableError.self) { try await store.perform { throw UnavailableError() } }
        }
        await #expect(throws: ProtectionError.breakerOpen) { try await store.perform { "word" } }
    }
}
