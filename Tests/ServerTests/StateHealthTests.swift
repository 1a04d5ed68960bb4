import Foundation
import Logging
import Primitives
import Synchronization
import TestSupport
import Testing

@testable import Server

@Suite("State health") struct StateHealthTests {
    private struct Full: BackendFailure {
        let cause = "the disk is full"
    }

    @Test("Probes the state at most once a second and reports each change once, with its cause")
    func spacing() async {
        let start = ContinuousClock.now
        let elapsed = Mutex(Duration.zero)
        let queried = Mutex(0)
        let isFull = Mutex(false)
        let reported = Mutex<[Readiness]>([])
        let health = StateHealth(
            now: { start + elapsed.withLock(\.self) },
            didChange: { readiness in reported.withLock { $0.append(readiness) } },
            probe: {
                queried.withLock { $0 += 1 }
                if isFull.withLock(\.self) { throw Full() }
            })
        await withTaskGroup(of: Void.self) { group in
            for _ in 0..<100 { group.addTask { #expect(await health.readiness() == .ready) } }
        }
        #expect(queried.withLock(\.self) == 1)
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
        #expect(reported.withLock(\.self) == [full, .ready])
        #expect(queried.withLock(\.self) == 5)
    }

    @Test("Unreadable rows degrade a ready node and are named by table; a failed node stays failed")
    func withUnreadable() {
        #expect(Readiness.ready.withUnreadable(revocations: 0, rows: [:]) == .ready)
        #expect(
            Readiness.ready.withUnreadable(revocations: 2, rows: ["receipt": ["1"], "delivery": ["a", "b"]])
                == .degraded(
                    "revocations that cannot be read: 2; rows of table delivery that cannot be read: 2; "
                        + "rows of table receipt that cannot be read: 1"))
        let down = Readiness.notReady(cause: "down")
        #expect(down.withUnreadable(revocations: 1, rows: ["receipt": ["1"]]) == down)
    }

    @Test("A node is not ready before it has read the state, and another cause takes precedence")
    func withEntrance() {
        #expect(Readiness.ready.withEntrance(true) == .ready)
        guard case .notReady = Readiness.ready.withEntrance(false) else {
            Issue.record("expected a node that is not ready")
            return
        }
        #expect(Readiness.notReady(cause: "down").withEntrance(false) == .notReady(cause: "down"))
    }

    @Test("Unreadable rows are logged once until they change")
    func rows() {
        let lines = Locked<[String]>([])
        let logger = Logger(label: "test") { _ in
            LineLogHandler(label: "test", level: .info, format: .text) { line in lines.withLock { $0.append(line) } }
        }
        let reporter = UnreadableRowReporter(EventReporter(logger: logger))
        for _ in 0..<2 { reporter.report(["receipt": ["17"]]) }
        reporter.report(["receipt": ["17"], "delivery": ["0a"]])
        reporter.report([:])
        let all = lines.withLock(\.self)
        #expect(all.count == 4)
        #expect(all.first?.contains("17") == true && all.first?.contains("receipt") == true)
        #expect(all.dropFirst().first?.contains("0a") == true)
    }
}
