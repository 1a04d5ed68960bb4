import Foundation

/// When a process that does not get as far as its first answer may be started again.
///
/// One that has answered before it failed is replaced at once; one that has not is waited for twice as long each time.
struct RestartBackoff: Sendable {
    private let shortest: TimeInterval
    private let longest: TimeInterval
    private var failures = 0
    private var failedAt: TimeInterval?

    init(shortest: TimeInterval, longest: TimeInterval) {
        self.shortest = shortest
        self.longest = max(shortest, longest)
    }

    /// - Parameter moment: in seconds, by a clock that nobody sets.
    func mayStart(at moment: TimeInterval) -> Bool {
        guard let failedAt else { return true }
        return moment - failedAt >= wait
    }

    /// A started process gave an answer.
    mutating func succeed() {
        failures = 0
        failedAt = nil
    }

    /// A process was put down, or ended, before it gave any answer, or did not start at all.
    mutating func fail(at moment: TimeInterval) {
        failures += 1
        failedAt = moment
    }

    private var wait: TimeInterval {
        min(longest, shortest * pow(2, Double(min(failures, 40) - 1)))
    }
}
