import Foundation
import Gatefold
import Logging
import Synchronization
import TestSupport
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

    @Test("is degraded by what cannot be read of the state, which it names by table, and no better than before")
    func lacking() {
        #expect(Readiness.ready.lacking(revocations: 0, rows: [:]) == .ready)
        #expect(
            Readiness.ready.lacking(revocations: 2, rows: ["receipt": ["1"], "delivery": ["a", "b"]])
                == .degraded(
                    "revocations that can not be read: 2; rows of table delivery that cannot be read: 2; "
                        + "rows of table receipt that cannot be read: 1"))
        let down = Readiness.notReady(cause: "down")
        #expect(down.lacking(revocations: 1, rows: ["receipt": ["1"]]) == down)
    }

    @Test("has the rows that cannot be read in the log, once until they become others")
    func rows() {
        let lines = Kept<[String]>([])
        let logger = Logger(label: "test") { _ in
            LineLogHandler(label: "test", level: .info, form: .text) { line in lines.withLock { $0.append(line) } }
        }
        let reporter = UnreadableRowReporter(logger: logger)
        for _ in 0..<2 { reporter.report(["receipt": ["17"]]) }
        reporter.report(["receipt": ["17"], "delivery": ["0a"]])
        reporter.report([:])
        let all = lines.withLock(\.self)
        #expect(all.count == 4)
        #expect(all.first?.contains("17") == true && all.first?.contains("receipt") == true)
        #expect(all.dropFirst().first?.contains("0a") == true)
    }
}
