import Foundation

/// So many lines a minute: a system that differs in everything must not fill the log. What is not told is still counted.
struct LogAllowance: Sendable {
    private let perMinute: Int
    private var minute = Int.min
    private var taken = 0

    init(perMinute: Int) {
        self.perMinute = perMinute
    }

    /// Whether a line may be written now; it then counts.
    ///
    /// - Parameter now: by a clock that nobody sets.
    mutating func take(at now: TimeInterval) -> Bool {
        let present = Int(now / 60)
        if present != minute {
            minute = present
            taken = 0
        }
        guard taken < perMinute else { return false }
        taken += 1
        return true
    }
}
