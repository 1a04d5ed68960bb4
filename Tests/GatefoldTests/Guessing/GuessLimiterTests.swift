import Gatefold
import Synchronization
import TestSupport
import Testing

@Suite("The guess limiter")
struct GuessLimiterTests {
    @Test("Pitfall 19: a thousand guesses at once get ten")
    func parallel() async {
        let limiter = GuessLimiter()
        let clock = ManualClock()
        let through = await withTaskGroup(of: Bool.self) { group in
            for number in 0..<1000 {
                group.addTask {
                    let attempt = GuessLedgerTests.attempt("reader", "guess \(number)", device: "d\(number)")
                    let verdict = await limiter.admit(attempt, at: clock.now) { false }
                    guard case .proceed(let ticket) = verdict else { return false }
                    await Task.yield()
                    limiter.settle(ticket, as: .wrong, at: clock.now)
                    return true
                }
            }
            return await group.reduce(into: 0) { $0 += $1 ? 1 : 0 }
        }
        #expect(through == 10)
    }

    @Test("Whether a bearer is acquainted is asked only when it decides")
    func askedLate() async {
        let limiter = GuessLimiter(limits: GuessLimits(perIdentifier: 1))
        let clock = ManualClock()
        let asked = Atomic(0)
        for number in 0..<2 {
            let attempt = GuessLedgerTests.attempt("reader", "\(number)", device: "phone")
            let verdict = await limiter.admit(attempt, at: clock.now) {
                asked.add(1, ordering: .relaxed)
                return true
            }
            guard case .proceed = verdict else {
                Issue.record("the reader's own device was kept out")
                continue
            }
            #expect(asked.load(ordering: .relaxed) == number)
        }
    }
}
