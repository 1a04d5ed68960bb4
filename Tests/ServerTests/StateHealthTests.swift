import Foundation
import Gatefold
import Synchronization
import Testing

@testable import Server

@Suite("The health of the state") struct StateHealthTests {
    private struct Full: BackendFailure {
        let cause = "the disk is full"
    }

    @Test("is asked once a second at most, and each change is told once, with its cause")
    func spacing() async {
        let start = ContinuousClock.now
        let elapsed = Mutex(Duration.zero)
        let asked = Mutex(0)
        let isFull = Mutex(false)
        let told = Mutex<[Readiness]>([])
        let health = StateHealth(
            now: { start + elapsed.withLock(\.self) },
            didChange: { readiness in told.withLock { $0.append(readiness) } },
            ask: {
                asked.withLock { $0 += 1 }
                if isFull.withLock(\.self) { throw Full() }
            })
        await withTaskGroup(of: Void.self) { group in
            for _ in 0..<100 { group.addTask { #expect(await health.readiness() == .ready) } }
        }
        #expect(asked.withLock(\.self) == 1)
        isFull.withLock { $0 = true }
        #expect(await health.readiness() == .ready)
        let full = Readiness.notReady(cause: "the disk is full")
        for _ in 0..<3 {
            elapsed.withLock { $0 += .seconds(1) }
            #expect(await health.readiness() == full)
        }
        isFull.withLock { $0 = false }
        elapsed.withLock { $0 += .seconds(1) }
        #expect(await health.readiness() == .ready)
        #expect(told.withLock(\.self) == [full, .ready])
        #expect(asked.withLock(\.self) == 5)
    }
}
