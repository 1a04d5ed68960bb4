import Foundation
import Gatefold
import Primitives

/// Periods as text: `start/end`, each a day in UTC (`2026-01-01`) or an instant (RFC 3339). A period without an end
/// is open.
///
/// A day as a start means its first instant. A day as an end means its last millisecond.
enum PeriodFormat {
    static func read(_ text: Substring) -> Period? {
        let parts = text.split(separator: "/", omittingEmptySubsequences: false)
        guard parts.count == 2, let start = CivilTime.milliseconds(parts[0], isEnd: false) else { return nil }
        if parts[1].isEmpty { return Period(start: Milliseconds.date(start), end: nil) }
        guard let end = CivilTime.milliseconds(parts[1], isEnd: true), start <= end else { return nil }
        return Period(start: Milliseconds.date(start), end: Milliseconds.date(end))
    }

    /// Formats a period. Uses days if they represent the period exactly, otherwise instants.
    static func write(_ period: Period) -> String {
        let start = Milliseconds.of(period.start)
        return text(start, asDay: start) + "/"
            + (period.end.map { end in
                let end = Milliseconds.of(end)
                return text(end, asDay: end + 1 - day)
            } ?? "")
    }

    private static let day: Int64 = 86_400_000

    private static func text(_ milliseconds: Int64, asDay first: Int64) -> String {
        let (days, rest) = first.quotientAndRemainder(dividingBy: day)
        let date = Milliseconds.date(rest == 0 ? days * day : milliseconds)
        if rest == 0 { return date.formatted(.iso8601.year().month().day()) }
        return date.formatted(
            .iso8601.year().month().day().time(includingFractionalSeconds: true).timeZone(separator: .omitted))
    }
}
