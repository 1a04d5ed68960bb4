import Foundation
import Testing

/// The program against a small model of its publisher's rules: no failure, no state of the cache, no clock that is wrong, no
/// second process and no order of calls, one after the other, ever opens more than the policy does, and what it grants is given
/// while the house can be asked. Calls that overlap are the soak's (`deploy/soak`).
@Suite("Every answer of the decision core is the model's") struct DecisionModelTests {
    private static let lanes = 4

    /// What a lane found out, up to the first history that is wrong.
    private struct Found {
        var tally = Tally()
        var failing: History?
    }

    @Test("in whatever history", .timeLimit(.minutes(10)))
    func histories() async throws {
        let asked = try HistoriesAsked(ProcessInfo.processInfo.environment)
        let found = await withTaskGroup(of: Found.self) { group in
            for lane in 0..<Self.lanes { group.addTask { await Self.live(lane, of: asked) } }
            var all = Found()
            for await lane in group {
                all.tally.add(lane.tally)
                guard all.failing == nil, let failing = lane.failing else { continue }
                all.failing = failing
                group.cancelAll()
            }
            return all
        }
        if let failing = found.failing {
            let (history, contradiction) = await Shrinking.shortest(failing)
            Issue.record("\(contradiction)\n\(history)")
            return
        }
        let missing = found.tally.missing(of: asked.count)
        #expect(missing.isEmpty, "the histories come to too little: \(missing.joined(separator: "; "))")
    }

    private static func live(_ lane: Int, of asked: HistoriesAsked) async -> Found {
        var found = Found()
        for number in stride(from: lane, to: asked.count, by: lanes) where !Task.isCancelled {
            let history = History.random(asked.first + UInt64(number), length: 30)
            do {
                found.tally.add(try await Chronicle.check(history))
            } catch {
                // What a history comes to that was broken off says nothing.
                if !Task.isCancelled { found.failing = history }
                return found
            }
        }
        return found
    }

    @Test("and there are some")
    func some() throws {
        #expect(try HistoriesAsked([:]).count == 2_000)
        #expect(try HistoriesAsked(["GATEFOLD_HISTORIES": "1", "GATEFOLD_HISTORY": "77"]).first == 77)
        for text in ["0", "-1", "", "many", "2e3", "99999999999999999999"] {
            for name in ["GATEFOLD_HISTORIES", "GATEFOLD_HISTORY"] {
                #expect(throws: HistoriesAsked.Unreadable(name: name, text: text)) {
                    try HistoriesAsked([name: text])
                }
            }
        }
    }

    @Test("and they come to everything that may happen, often")
    func floors() {
        #expect(Set(Tally.floors.keys) == Set(Tally.Outcome.allCases) && Tally.floors.values.allSatisfy { $0 > 0 })
        #expect(Tally().missing(of: 1_000).count == Tally.Outcome.allCases.count)
    }
}
