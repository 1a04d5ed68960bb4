import Gatefold
import Protections
import TestSupport
import Testing

@testable import Receipts

@Suite("Questions to a store", .timeLimit(.minutes(10)))
struct ProtectedStoreTests {
    private struct Down: Error {}

    @Test("are bounded in time and number, and end while the store fails")
    func guarded() async throws {
        let time = ManualTime()
        var settings = StoreProtection()
        settings.concurrency.most = 1
        let services = StoreServices(clock: time.clock.wall, random: .seeded(1))
        let store = ProtectedStore(settings, services: services, sleep: time.sleep)
        #expect(try await store.ask { "word" } == "word")
        let door = Door()
        let first = Task {
            try await store.ask {
                await door.pass()
                return "late"
            }
        }
        await until { door.waiting == 1 }
        let second = Task { try await store.ask { "next" } }
        await until { time.sleeping == 2 }
        time.advance(by: 2)
        await #expect(throws: ProtectionError.patienceOver) { try await second.value }
        time.advance(by: 8)
        await #expect(throws: ProtectionError.deadlineExceeded) { try await first.value }
        door.open()
        for _ in 0..<4 {
            await #expect(throws: Down.self) { try await store.ask { throw Down() } }
        }
        await #expect(throws: ProtectionError.breakerOpen) { try await store.ask { "word" } }
    }
}
