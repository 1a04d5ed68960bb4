import Foundation

/// So many lines a minute: a system that differs in everything must not fill the log. What is not told is still counted.
struct LogAllowance: Sendable {
    private let perMinute: Int
    private var minute = Int.min
    private var taken = 0

    init(perMinute: Int) {
        self.perMinute = perMinute
    }

    /// Whether a line may be written at this moment; it then counts.
    mutating func take(at moment: Date) -> Bool {
        let present = Int(moment.timeIntervalSince1970 / 60)
        if present != minute {
            minute = present
            taken = 0
        }
        guard taken < perMinute else { return false }
        taken += 1
        return true
    }
}
