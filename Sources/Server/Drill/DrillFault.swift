public import Foundation

/// A fault that a drill injects into a subscriber backend.
public enum DrillFault: Sendable, Equatable, CustomStringConvertible {
    /// Every result arrives with this delay, in seconds.
    case delay(TimeInterval)
    /// This share of the queries fails. Range: 0 to 1.
    case errors(share: Double)
    /// The backend alternates between failing and working, starting with failing. Durations in seconds.
    case flapping(down: TimeInterval, up: TimeInterval)
    /// Every query fails.
    case outage

    /// Parses `delay=2s`, `errors=30%`, `flapping=2s/3s` (down and up) or `outage`.
    public init?(_ text: String) {
        let parts = text.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
        switch (parts[0], parts.count > 1 ? parts[1] : nil) {
        case ("outage", nil):
            self = .outage
        case ("delay", let value?):
            guard let seconds = Self.seconds(value) else { return nil }
            self = .delay(seconds)
        case ("errors", let value?):
            guard value.last == "%", let percent = Int(value.dropLast()), (1...100).contains(percent) else {
                return nil
            }
            self = .errors(share: Double(percent) / 100)
        case ("flapping", let value?):
            let times = value.split(separator: "/", omittingEmptySubsequences: false).map { Self.seconds(String($0)) }
            guard times.count == 2, let down = times[0], let up = times[1] else { return nil }
            self = .flapping(down: down, up: up)
        default:
            return nil
        }
    }

    public static let forms = "delay=2s, errors=30%, flapping=2s/3s (down and up) or outage"

    public var description: String {
        switch self {
        case .delay(let seconds): "responses delayed by \(seconds.formatted()) s"
        case .errors(let share): "\(Int((share * 100).rounded())) % errors"
        case .flapping(let down, let up): "down \(down.formatted()) s, up \(up.formatted()) s, alternating"
        case .outage: "outage"
        }
    }

    private static func seconds(_ text: String) -> TimeInterval? {
        let isMilliseconds = text.hasSuffix("ms")
        guard text.hasSuffix("s"), let number = Double(text.dropLast(isMilliseconds ? 2 : 1)) else { return nil }
        let seconds = isMilliseconds ? number / 1000 : number
        return (0.001...600).contains(seconds) ? seconds : nil
    }
}
