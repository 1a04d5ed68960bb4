import CAllocations

/// One small part of the work on a request, measured on one core without waiting tasks.
struct Microbenchmark: Sendable {
    let name: String
    /// Makes one call and returns whether it had the expected result.
    let call: @Sendable () -> Bool

    struct Measured: Codable, Sendable {
        let name: String
        /// The median of the rounds in nanoseconds per call. The next two values are the minimum and the maximum.
        let median: Double
        let min: Double
        let max: Double
        /// The number of calls in one round.
        let calls: Int
        /// The number of memory allocations of one call; nil where they are not counted.
        let allocations: Int?
    }

    struct Failed: Error, CustomStringConvertible {
        let name: String
        var description: String { "\(name): a call did not have the expected result" }
    }

    /// Measures the calls.
    ///
    /// - Parameters:
    ///   - rounds: The number of rounds. At least 1.
    ///   - duration: The approximate duration of one round.
    /// - Throws: ``Failed`` if a call did not have the expected result.
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
            name: name, median: median, min: nanoseconds[0], max: nanoseconds[nanoseconds.count - 1], calls: calls,
            allocations: try allocations())
    }

    /// Returns the number of memory allocations of one call, rounded down; nil where they are not counted. A call may
    /// also allocate rarely, for instance when a cache grows.
    ///
    /// - Throws: ``Failed`` if a call did not have the expected result.
    func allocations() throws -> Int? {
        let calls = 256
        _ = try time(calls)
        let before = callocations_of_this_thread()
        guard before >= 0 else { return nil }
        _ = try time(calls)
        return Int(callocations_of_this_thread() - before) / calls
    }

    private func time(_ calls: Int) throws -> Duration {
        var good = 0
        let start = ContinuousClock.now
        for _ in 0..<calls where call() { good += 1 }
        let elapsed = ContinuousClock.now - start
        // The check also prevents the compiler from removing the calls.
        guard good == calls else { throw Failed(name: name) }
        return elapsed
    }
}
