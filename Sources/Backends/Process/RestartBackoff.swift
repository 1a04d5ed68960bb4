import Foundation

/// When a process that does not get as far as its first answer may be started again.
///
/// One that has answered before it failed is replaced at once; one that has not is waited for twice as long each time.
struct RestartBackoff: Sendable {
    private let shortest: TimeInterval
    private let longest: TimeInterval
    private var failures = 0
    private var failedAt: Date?

    init(shortest: TimeInterval, longest: TimeInterval) {
        self.shortest = shortest
        self.longest = max(shortest, longest)
    }

    func mayStart(at moment: Date) -> Bool {
        guard let failedAt else { return true }
        // A clock that was set back must not keep the process down.
        return moment < failedAt || moment.timeIntervalSince(failedAt) >= wait
    }

    /// A started process gave an answer.
    mutating func succeed() {
        failures = 0
        failedAt = nil
    }

    /// A process was put down, or ended, before it gave any answer, or did not start at all.
    mutating func fail(at moment: Date) {
        failures += 1
        failedAt = moment
    }

    private var wait: TimeInterval {
        min(longest, shortest * pow(2, Double(min(failures, 40) - 1)))
    }
}
