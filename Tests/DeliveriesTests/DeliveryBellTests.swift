import Foundation
import Protections
import TestSupport
import Testing

@testable import Deliveries

@Suite("A bell", .timeLimit(.minutes(10))) struct DeliveryBellTests {
    private let time = ManualTime()

    @Test("that rang since it was listened to keeps nobody waiting")
    func before() async throws {
        let bell = DeliveryBell(sleep: time.sleep)
        let heard = bell.rings
        bell.ring()
        try await bell.wait(after: heard, atMost: 5)
        #expect(bell.rings == 1)
    }

    @Test("that rings after a wait whose time was over is heard by the next")
    func afterTimeout() async throws {
        let bell = DeliveryBell(sleep: time.sleep)
        let heard = bell.rings
        let waiting = Task { try await bell.wait(after: heard, atMost: 5) }
        await until { time.sleeping == 1 }
        time.advance(by: 5)
        // Before or after the waiter is gone: it counts either way.
        bell.ring()
        try await waiting.value
        try await bell.wait(after: heard, atMost: 5)
        #expect(time.sleeping == 0)
    }

    @Test("wakes all who wait")
    func all() async throws {
        let bell = DeliveryBell(sleep: time.sleep)
        let heard = bell.rings
        let waiting = (0..<5).map { _ in Task { try await bell.wait(after: heard, atMost: 5) } }
        await until { time.sleeping == 5 }
        bell.ring()
        for each in waiting { try await each.value }
    }

    @Test("keeps nobody who is cancelled")
    func cancelled() async {
        let bell = DeliveryBell(sleep: time.sleep)
        let heard = bell.rings
        let waiting = Task { try await bell.wait(after: heard, atMost: 5) }
        await until { time.sleeping == 1 }
        waiting.cancel()
        await #expect(throws: CancellationError.self) { try await waiting.value }
    }
}
