import Foundation
import Primitives
import TestSupport
import Testing

@testable import Deliveries

@Suite("Delivery signal", .timeLimit(.minutes(10))) struct DeliverySignalTests {
    private let time = ManualTime()

    @Test("A signal before the wait ends the wait at once")
    func before() async throws {
        let signal = DeliverySignal(sleep: time.sleep)
        let heard = signal.signalCount
        signal.signal()
        try await signal.wait(after: heard, timeout: 5)
        #expect(signal.signalCount == 1)
    }

    @Test("A signal after a timed-out wait ends the next wait")
    func afterTimeout() async throws {
        let signal = DeliverySignal(sleep: time.sleep)
        let heard = signal.signalCount
        let waiting = Task { try await signal.wait(after: heard, timeout: 5) }
        await until { time.sleeping == 1 }
        time.advance(by: 5)
        // The signal counts whether the waiting task has ended or not.
        signal.signal()
        try await waiting.value
        try await signal.wait(after: heard, timeout: 5)
        #expect(time.sleeping == 0)
    }

    @Test("Wakes all waiting tasks")
    func all() async throws {
        let signal = DeliverySignal(sleep: time.sleep)
        let heard = signal.signalCount
        let waiting = (0..<5).map { _ in Task { try await signal.wait(after: heard, timeout: 5) } }
        await until { time.sleeping == 5 }
        signal.signal()
        for each in waiting { try await each.value }
    }

    @Test("Ends the wait of a cancelled task")
    func cancelled() async {
        let signal = DeliverySignal(sleep: time.sleep)
        let heard = signal.signalCount
        let waiting = Task { try await signal.wait(after: heard, timeout: 5) }
        await until { time.sleeping == 1 }
        waiting.cancel()
        await #expect(throws: CancellationError.self) { try await waiting.value }
    }
}
