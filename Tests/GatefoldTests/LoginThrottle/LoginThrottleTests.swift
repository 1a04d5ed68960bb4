import Gatefold
import Primitives
import Synchronization
import TestSupport
import Testing

@Suite("Login throttle")
struct LoginThrottleTests {
    @Test("Pitfall 19: of a thousand concurrent attempts, ten are admitted")
    func parallel() async {
        let limiter = LoginThrottle()
        let clock = ManualClock()
        let through = await withTaskGroup(of: Bool.self) { group in
            for number in 0..<1000 {
                group.addTask {
                    let attempt = LoginThrottleLedgerTests.attempt("reader", "guess \(number)", device: "d\(number)")
                    let verdict = await limiter.admit(attempt, at: clock.wall.elapsed) { false }
                    guard case .proceed(let permit) = verdict else { return false }
                    await Task.yield()
                    await limiter.settle(permit, as: .wrong, at: clock.wall.elapsed)
                    return true
                }
            }
            return await group.reduce(into: 0) { $0 += $1 ? 1 : 0 }
        }
        #expect(through == 10)
    }

    @Test("Queries whether the device is known only when the result depends on it")
    func requestedLate() async {
        let limiter = LoginThrottle(limits: LoginThrottleLimits(perIdentifier: 1))
        let clock = ManualClock()
        let requested = Atomic(0)
        for number in 0..<2 {
            let attempt = LoginThrottleLedgerTests.attempt("reader", "\(number)", device: "phone")
            let verdict = await limiter.admit(attempt, at: clock.wall.elapsed) {
                requested.add(1, ordering: .relaxed)
                return true
            }
            guard case .proceed = verdict else {
                Issue.record("the reader's known device was throttled")
                continue
            }
            #expect(requested.load(ordering: .relaxed) == number)
        }
    }

    /// Signs in all attempts concurrently through a backend that responds when the latch opens. Returns the number of
    /// admitted attempts.
    private func signInTogether(_ limiter: LoginThrottle, _ attempts: [LoginAttempt], maxConcurrent: Int) async -> Int {
        let latch = ManualLatch()
        let timestamp = LoginThrottleLedgerTests.start
        return await withTaskGroup(of: Bool.self) { group in
            for attempt in attempts {
                group.addTask {
                    guard
                        case .proceed(let permit) = await limiter.admit(
                            attempt, at: timestamp, isKnownDevice: { false })
                    else { return false }
                    await latch.pass()
                    await limiter.settle(permit, as: .right, at: timestamp)
                    return true
                }
            }
            await until { latch.waiting == maxConcurrent }
            latch.open()
            return await group.reduce(into: 0) { $0 += $1 ? 1 : 0 }
        }
    }

    @Test("Admits 150 readers behind one address who sign in correctly at once")
    func sharedAddress() async {
        let attempts = (0..<150).map { LoginThrottleLedgerTests.attempt("reader \($0)", "right", from: "192.0.2.1") }
        #expect(await signInTogether(LoginThrottle(), attempts, maxConcurrent: 100) == 150)
    }

    @Test("Admits 30 correct concurrent sign-ins of one reader")
    func oneReader() async {
        let attempts = (0..<30).map { _ in LoginThrottleLedgerTests.attempt("reader", "right", from: "192.0.2.1") }
        #expect(await signInTogether(LoginThrottle(), attempts, maxConcurrent: 10) == 30)
    }

    /// Returns a throttle in which attempts under way occupy all places of one reader.
    private func busy(_ time: ManualTime, _ limits: LoginThrottleLimits = LoginThrottleLimits()) async -> (
        LoginThrottle, [LoginAttemptPermit]
    ) {
        let sleep = time.sleep
        let limiter = LoginThrottle(limits: limits) { try await sleep($0 / .seconds(1)) }
        var permits: [LoginAttemptPermit] = []
        for number in 0..<10 {
            let attempt = LoginThrottleLedgerTests.attempt("reader", "\(number)")
            if case .proceed(let permit) = await limiter.admit(
                attempt, at: time.clock.wall.elapsed, isKnownDevice: { false })
            {
                permits.append(permit)
            }
        }
        #expect(permits.count == 10)
        return (limiter, permits)
    }

    private func wait(_ limiter: LoginThrottle, _ time: ManualTime) -> Task<LoginThrottleVerdict, Never> {
        Task {
            await limiter.admit(
                LoginThrottleLedgerTests.attempt("reader", "another"), at: time.clock.wall.elapsed,
                isKnownDevice: { false })
        }
    }

    @Test("An attempt that waits ten seconds times out as busy, not as throttled")
    func timeout() async {
        let time = ManualTime()
        let (limiter, permits) = await busy(time)
        let waiting = wait(limiter, time)
        await until { limiter.queued == 1 && time.sleeping == 1 }
        time.advance(by: 9)
        #expect(limiter.queued == 1)
        time.advance(by: 1)
        #expect(await waiting.value == .busy(retryAfter: 5))
        #expect(limiter.queued == 0)
        // The timed-out attempt leaves no trace: all ten places are free after the others are settled.
        for permit in permits { await limiter.settle(permit, as: .undecided, at: time.clock.wall.elapsed) }
        for number in 0..<10 {
            let verdict = await limiter.admit(
                LoginThrottleLedgerTests.attempt("reader", "later \(number)"), at: time.clock.wall.elapsed,
                isKnownDevice: { false })
            guard case .proceed = verdict else {
                Issue.record("\(number): \(verdict)")
                continue
            }
        }
    }

    @Test("A cancelled attempt stops waiting")
    func cancelled() async {
        let time = ManualTime()
        let (limiter, _) = await busy(time)
        let waiting = wait(limiter, time)
        await until { limiter.queued == 1 }
        waiting.cancel()
        #expect(await waiting.value == .busy(retryAfter: 5))
        #expect(limiter.queued == 0)
    }

    @Test("An attempt that exceeds the queue limit is rejected as busy at once")
    func queueFull() async {
        let time = ManualTime()
        var limits = LoginThrottleLimits()
        limits.maxQueued = 1
        let (limiter, permits) = await busy(time, limits)
        let waiting = wait(limiter, time)
        await until { limiter.queued == 1 }
        #expect(await wait(limiter, time).value == .busy(retryAfter: 5))
        for permit in permits { await limiter.settle(permit, as: .wrong, at: time.clock.wall.elapsed) }
        #expect(await waiting.value == .throttled(retryAfter: 90))
    }
}
