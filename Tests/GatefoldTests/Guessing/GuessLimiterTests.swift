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
                    let verdict = await limiter.admit(attempt, at: clock.wall.elapsed) { false }
                    guard case .proceed(let ticket) = verdict else { return false }
                    await Task.yield()
                    limiter.settle(ticket, as: .wrong, at: clock.wall.elapsed)
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
            let verdict = await limiter.admit(attempt, at: clock.wall.elapsed) {
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

    /// Signs everybody in at once through a backend that answers when the door opens. Returns how many were let in.
    private func signInTogether(_ limiter: GuessLimiter, _ attempts: [GuessAttempt], atOnce: Int) async -> Int {
        let door = Door()
        let moment = GuessLedgerTests.start
        return await withTaskGroup(of: Bool.self) { group in
            for attempt in attempts {
                group.addTask {
                    guard case .proceed(let ticket) = await limiter.admit(attempt, at: moment, isAcquainted: { false })
                    else { return false }
                    await door.pass()
                    limiter.settle(ticket, as: .right, at: moment)
                    return true
                }
            }
            await until { door.waiting == atOnce }
            door.open()
            return await group.reduce(into: 0) { $0 += $1 ? 1 : 0 }
        }
    }

    @Test("150 readers behind one address who sign in rightly at once are all let in")
    func sharedAddress() async {
        let attempts = (0..<150).map { GuessLedgerTests.attempt("reader \($0)", "right", from: "192.0.2.1") }
        #expect(await signInTogether(GuessLimiter(), attempts, atOnce: 100) == 150)
    }

    @Test("30 right sign-ins of one reader at once are all let in")
    func oneReader() async {
        let attempts = (0..<30).map { _ in GuessLedgerTests.attempt("reader", "right", from: "192.0.2.1") }
        #expect(await signInTogether(GuessLimiter(), attempts, atOnce: 10) == 30)
    }

    /// A limiter with all places of one reader taken by attempts under way.
    private func busy(_ time: ManualTime, _ limits: GuessLimits = GuessLimits()) async -> (GuessLimiter, [GuessTicket])
    {
        let sleep = time.sleep
        let limiter = GuessLimiter(limits: limits) { try await sleep($0 / .seconds(1)) }
        var tickets: [GuessTicket] = []
        for number in 0..<10 {
            let attempt = GuessLedgerTests.attempt("reader", "\(number)")
            if case .proceed(let ticket) = await limiter.admit(
                attempt, at: time.clock.wall.elapsed, isAcquainted: { false })
            {
                tickets.append(ticket)
            }
        }
        #expect(tickets.count == 10)
        return (limiter, tickets)
    }

    private func wait(_ limiter: GuessLimiter, _ time: ManualTime) -> Task<GuessVerdict, Never> {
        Task {
            await limiter.admit(
                GuessLedgerTests.attempt("reader", "another"), at: time.clock.wall.elapsed, isAcquainted: { false })
        }
    }

    @Test("An attempt that waits for ten seconds is told that others are under way, not that it was a guess")
    func timeout() async {
        let time = ManualTime()
        let (limiter, tickets) = await busy(time)
        let waiting = wait(limiter, time)
        await until { limiter.queued == 1 && time.sleeping == 1 }
        time.advance(by: 9)
        #expect(limiter.queued == 1)
        time.advance(by: 1)
        #expect(await waiting.value == .busy(retryAfter: 5))
        #expect(limiter.queued == 0)
        // It left nothing behind: all ten are free again once those are settled.
        for ticket in tickets { limiter.settle(ticket, as: .undecided, at: time.clock.wall.elapsed) }
        for number in 0..<10 {
            let verdict = await limiter.admit(
                GuessLedgerTests.attempt("reader", "later \(number)"), at: time.clock.wall.elapsed,
                isAcquainted: { false })
            guard case .proceed = verdict else {
                Issue.record("\(number): \(verdict)")
                continue
            }
        }
    }

    @Test("An attempt that is cancelled waits no longer")
    func cancelled() async {
        let time = ManualTime()
        let (limiter, _) = await busy(time)
        let waiting = wait(limiter, time)
        await until { limiter.queued == 1 }
        waiting.cancel()
        #expect(await waiting.value == .busy(retryAfter: 5))
        #expect(limiter.queued == 0)
    }

    @Test("When the queue is full, one more is told so at once")
    func queueFull() async {
        let time = ManualTime()
        var limits = GuessLimits()
        limits.maxQueued = 1
        let (limiter, tickets) = await busy(time, limits)
        let waiting = wait(limiter, time)
        await until { limiter.queued == 1 }
        #expect(await wait(limiter, time).value == .busy(retryAfter: 5))
        for ticket in tickets { limiter.settle(ticket, as: .wrong, at: time.clock.wall.elapsed) }
        #expect(await waiting.value == .throttled(retryAfter: 90))
    }
}
