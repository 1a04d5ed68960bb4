import Foundation
import Settings

/// The schedule of the fetches of a feed.
struct FeedSchedule: Sendable, Equatable {
    enum Recurrence: Sendable, Equatable {
        /// A fixed interval in seconds.
        case every(TimeInterval)
        /// Times of day in seconds after midnight UTC, in ascending order.
        case at([TimeInterval])
    }

    let times: Recurrence
    /// The maximum random delay in seconds, so that clients do not all fetch on the hour.
    let jitter: TimeInterval
    /// The delay in seconds between a failed attempt and the next attempt.
    let retry: TimeInterval

    init(times: Recurrence, jitter: TimeInterval = 0, retry: TimeInterval = 300) {
        self.times = times
        self.jitter = jitter
        self.retry = retry
    }

    init(_ section: SettingsSection) throws(SettingsError) {
        let maxInterval: TimeInterval = 30 * 86_400
        if let words = try section.strings("at") {
            guard !section.has("every"), !words.isEmpty else {
                throw section.error("at", expected: "expected either `every` or a list of times `at`")
            }
            var times: [TimeInterval] = []
            for word in words {
                guard let time = Self.seconds(word) else {
                    throw section.error("at", expected: "expected times of day in UTC such as \"02:30\", not `\(word)`")
                }
                times.append(time)
            }
            self.times = .at(times.sorted())
            jitter = try section.duration("jitter", default: 300, in: 0...3600)
        } else {
            let every = try section.duration("every", default: 6 * 3600, in: 1...maxInterval)
            times = .every(every)
            jitter = try section.duration("jitter", default: min(300, every / 10).rounded(.down), in: 0...3600)
        }
        retry = try section.duration("retry", default: 300, in: 1...maxInterval)
        try section.finish()
    }

    /// Returns the time of the next fetch.
    ///
    /// - Parameters:
    ///   - success: the time at which the source last sent a good feed or reported it unchanged, or nil for never.
    ///   - failure: the time at which the last attempt ended, if it failed.
    ///   - jitterShare: the share of the jitter to apply, from 0 to 1.
    func next(after success: Date?, failure: Date?, jitterShare: Double) -> Date {
        if let failure { return min(failure + retry, regular(after: failure, jitterShare: jitterShare)) }
        guard let success else { return .distantPast }
        return regular(after: success, jitterShare: jitterShare)
    }

    private func regular(after timestamp: Date, jitterShare: Double) -> Date {
        let later = jitter * jitterShare
        switch times {
        case .every(let interval): return timestamp + interval + later
        case .at(let times):
            let now = timestamp.timeIntervalSince1970
            let midnight = (now / 86_400).rounded(.down) * 86_400
            let next = times.first { midnight + $0 > now }.map { midnight + $0 }
            return Date(timeIntervalSince1970: (next ?? midnight + 86_400 + (times.first ?? 0)) + later)
        }
    }

    private static func seconds(_ text: String) -> TimeInterval? {
        let parts = text.split(separator: ":", omittingEmptySubsequences: false)
        guard parts.count == 2, parts.allSatisfy({ $0.count == 2 && $0.allSatisfy(\.isASCII) }),
            let hours = Int(parts[0]), let minutes = Int(parts[1]), (0..<24).contains(hours), (0..<60).contains(minutes)
        else { return nil }
        return TimeInterval(hours * 3600 + minutes * 60)
    }
}
