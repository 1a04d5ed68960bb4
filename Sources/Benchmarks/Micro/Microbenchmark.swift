/// One small piece of the work on a request, on one core and with nobody waiting.
struct Microbenchmark: Sendable {
    let name: String
    /// One call; whether it did what it is measured for.
    let call: @Sendable () -> Bool

    struct Measured: Codable, Sendable {
        let name: String
        /// Medians and extremes of the rounds, nanoseconds a call.
        let median: Double
        let least: Double
        let most: Double
        /// In one round.
        let calls: Int
    }

    struct Failed: Error, CustomStringConvertible {
        let name: String
        var description: String { "\(name): a call did not do what it is measured for" }
    }

    /// - Parameters:
    ///   - rounds: at least one.
    ///   - duration: of one round, about.
    /// - Throws: ``Failed``.
    func measure(rounds: Int, duration: Duration) throws -> Measured {
        var calls = 1
        while try time(calls) < duration / 4 { calls *= 2 }
        calls = max(1, Int(Double(calls) * (duration / (try time(calls)))))
        var nanoseconds: [Double] = []
        for _ in 0..<max(1, rounds) {
            nanoseconds.append(try time(calls) / .nanoseconds(1) / Double(calls))
        }
        nanoseconds.sort()
        let middle = nanoseconds.count / 2
        let median =
            nanoseconds.count.isMultiple(of: 2)
            ? (nanoseconds[middle - 1] + nanoseconds[middle]) / 2 : nanoseconds[middle]
        return Measured(
            name: name, median: median, least: nanoseconds[0], most: nanoseconds[nanoseconds.count - 1], calls: calls)
    }

    private func time(_ calls: Int) throws -> Duration {
        var good = 0
        let start = ContinuousClock.now
        for _ in 0..<calls where call() { good += 1 }
        let elapsed = ContinuousClock.now - start
        // It also keeps the compiler from leaving the calls out.
        guard good == calls else { throw Failed(name: name) }
        return elapsed
    }
}
