public import Foundation
public import Gatefold

/// The rounding of a subscription's period.
public enum PeriodRounding: Sendable, Equatable {
    /// No rounding. Both ends are included.
    case exact
    /// Rounding to whole days, from the first second of the first day to the last second of the last day.
    case days(TimeZone)
    /// Rounding to whole months, from the first second of the first month to the last second of the last month, as
    /// in Baker Cloud.
    ///
    /// Source: Baker protocol, “Subscription period of a receipt”.
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
            // An interval ends at the start of the next interval, so its last second is one second earlier.
            calendar.dateInterval(of: unit, for: end).map { $0.end.addingTimeInterval(-1) } ?? end
        }
        return Period(start: start, end: end)
    }
}
