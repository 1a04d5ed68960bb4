import Logging
import Synchronization
import Testing

@testable import Server

@Suite("Connection budget")
struct ConnectionBudgetTests {
    private final class Lines: Sendable {
        let all = Mutex<[String]>([])

        var logger: Logger {
            Logger(label: "test") { _ in
                LineLogHandler(label: "test", level: .info, format: .text) { line in
                    self.all.withLock { $0.append(line) }
                }
            }
        }
    }

    @Test("Limits connections and logs once that others wait")
    func budget() {
        let lines = Lines()
        var budget = ConnectionBudget(2, of: "main", logger: lines.logger)
        budget.connectionOpened()
        #expect(budget.isAcceptingNewConnections())
        for _ in 0..<3 {
            budget.connectionOpened()
            #expect(!budget.isAcceptingNewConnections())
            budget.connectionClosed()
            #expect(budget.isAcceptingNewConnections())
        }
        #expect(lines.all.withLock { $0.count } == 1)
        #expect(lines.all.withLock { $0.first?.contains("Connection limit reached") } == true)
    }
}
