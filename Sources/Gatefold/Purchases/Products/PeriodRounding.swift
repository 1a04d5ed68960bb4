public import Foundation

/// How generously the time a subscription ran is counted.
public enum PeriodRounding: Sendable, Equatable {
    /// To the second, both ends included.
    case exact
    /// From the first second of its first day to the last second of its last.
    case days(TimeZone)
    /// From the first second of its first month to the last second of its last, as Baker Cloud does (PROTOCOLS 2.4).
    case months(TimeZone)

    public func widen(_ period: Period) -> Period {
        switch self {
        case .exact: period
        case .days(let zone): widen(period, to: .day, in: zone)
        case .months(let zone): widen(period, to: .month, in: zone)
        }
    }

    private func widen(_ period: Period, to unit: Calendar.Component, in zone: TimeZone) -> Period {
        var calendar = Calendar(identifier: .gregorian)
        calendar.timeZone = zone
        let start = calendar.dateInterval(of: unit, for: period.start)?.start ?? period.start
        let end = period.end.map { end in
            // An interval ends where the next begins: its last second is one before.
            calendar.dateInterval(of: unit, for: end).map { $0.end.addingTimeInterval(-1) } ?? end
        }
        return Period(start: start, end: end)
    }
}
