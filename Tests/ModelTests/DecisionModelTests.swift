import Foundation
import TestSupport
import Testing

/// Compares the program with a small model of its publisher's rules. No failure, cache state, clock error, second
/// process or order of sequential calls ever opens more than the policy, and every grant of the model is given while
/// the subscriber system is reachable. The soak (`deploy/soak`) tests concurrent calls.
@Suite("Decision core against its model") struct DecisionModelTests {
    private static let workers = 4

    /// The result of a worker, up to the first contradicting history.
    private struct Found {
        var tally = Tally()
        var failing: History?
    }

    @Test("Agrees with the model in every history", .timeLimit(.minutes(10)))
    func histories() async throws {
        let queried = try Self.selection(ProcessInfo.processInfo.environment)
        let found = await withTaskGroup(of: Found.self) { group in
            for worker in 0..<Self.workers { group.addTask { await Self.live(worker, of: queried) } }
            var all = Found()
            for await worker in group {
                all.tally.add(worker.tally)
                guard all.failing == nil, let failing = worker.failing else { continue }
                all.failing = failing
                group.cancelAll()
            }
            return all
        }
        if let failing = found.failing {
            let (history, contradiction) = await Shrinking.shrunk(failing)
            Issue.record("\(contradiction)\n\(history)")
            return
        }
        let missing = found.tally.missing(of: queried.count)
        #expect(missing.isEmpty, "outcomes below their minimum count: \(missing.joined(separator: "; "))")
    }

    private static func live(_ worker: Int, of queried: SeedSelection) async -> Found {
        var found = Found()
        for number in stride(from: worker, to: queried.count, by: workers) where !Task.isCancelled {
            let history = History.random(queried.first + UInt64(number), length: 30)
            do {
                found.tally.add(try await HistoryRunner.check(history))
            } catch {
                // The result of a cancelled history is not meaningful.
                if !Task.isCancelled { found.failing = history }
                return found
            }
        }
        return found
    }

    private static func selection(_ environment: [String: String]) throws -> SeedSelection {
        try SeedSelection(environment, count: "GATEFOLD_HISTORIES", first: "GATEFOLD_HISTORY", default: 2_000)
    }

    @Test("Runs 2,000 histories by default")
    func some() throws {
        #expect(try Self.selection([:]).count == 2_000)
        #expect(try Self.selection(["GATEFOLD_HISTORIES": "1", "GATEFOLD_HISTORY": "77"]).first == 77)
        for text in ["0", "-1", "", "many", "2e3", "99999999999999999999"] {
            for name in ["GATEFOLD_HISTORIES", "GATEFOLD_HISTORY"] {
                #expect(throws: SeedSelection.Unreadable(name: name, text: text)) {
                    try Self.selection([name: text])
                }
            }
        }
    }

    @Test("Requires every outcome with a minimum count")
    func floors() {
        #expect(Set(Tally.floors.keys) == Set(Tally.Outcome.allCases) && Tally.floors.values.allSatisfy { $0 > 0 })
        #expect(Tally().missing(of: 1_000).count == Tally.Outcome.allCases.count)
    }
}
