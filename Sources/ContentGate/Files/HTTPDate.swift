/// A timestamp in whole seconds in the HTTP format, such as `Sun, 01 Nov 2026 12:00:00 GMT` (RFC 9110 section
/// 5.6.7).
///
/// Only this format is parsed, because every client writes it. A date in one of the two obsolete formats is
/// ignored, so the response is the whole file.
package struct HTTPDate: Equatable, Comparable, CustomStringConvertible {
    private static let days = ["Thu", "Fri", "Sat", "Sun", "Mon", "Tue", "Wed"]
    private static let months = [
        "Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec",
    ]
    private static let secondsOfDay: Int64 = 86_400

    /// The seconds since 1970.
    package let seconds: Int64

    package init(seconds: Int64) {
        self.seconds = seconds
    }

    /// Returns `nil` unless the text is what ``description`` writes for some timestamp.
    package init?(_ text: String) {
        let words = text.split(separator: " ", omittingEmptySubsequences: false)
        guard text.utf8.count == 29, words.count == 6, let day = Int64(words[1]), let year = Int64(words[3]),
            let month = Self.months.firstIndex(of: String(words[2]))
        else { return nil }
        let clock = words[4].split(separator: ":", omittingEmptySubsequences: false).compactMap { Int64($0) }
        guard clock.count == 3, (0...9_999).contains(year), (1...31).contains(day) else { return nil }
        let date = Self.daysSince1970(year: year, month: Int64(month) + 1, day: day)
        seconds = date * Self.secondsOfDay + clock[0] * 3_600 + clock[1] * 60 + clock[2]
        // Text that does not format to itself, such as 31 Feb, hour 25 or the wrong weekday, is not a date.
        guard description == text else { return nil }
    }

    package var description: String {
        let day = Self.floorDivide(seconds, Self.secondsOfDay)
        let second = seconds - day * Self.secondsOfDay
        let (year, month, dayOfMonth) = Self.civil(daysSince1970: day)
        let weekday = Self.days[Int(day - Self.floorDivide(day, 7) * 7)]
        let clock = [second / 3_600, second / 60 % 60, second % 60].map { Self.padded($0, 2) }
        return "\(weekday), \(Self.padded(dayOfMonth, 2)) \(Self.months[Int(month) - 1]) \(Self.padded(year, 4)) "
            + "\(clock.joined(separator: ":")) GMT"
    }

    package static func < (left: HTTPDate, right: HTTPDate) -> Bool { left.seconds < right.seconds }

    // Years begin in March here, so that the leap day is the last day. An era is 400 years, 146,097 days.

    private static func daysSince1970(year: Int64, month: Int64, day: Int64) -> Int64 {
        let year = month <= 2 ? year - 1 : year
        let era = floorDivide(year, 400)
        let yearOfEra = year - era * 400
        let dayOfYear = (153 * (month + (month > 2 ? -3 : 9)) + 2) / 5 + day - 1
        return era * 146_097 + yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100 + dayOfYear - 719_468
    }

    private static func civil(daysSince1970: Int64) -> (year: Int64, month: Int64, day: Int64) {
        let days = daysSince1970 + 719_468
        let era = floorDivide(days, 146_097)
        let dayOfEra = days - era * 146_097
        let yearOfEra = (dayOfEra - dayOfEra / 1_460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
        let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
        let month = (5 * dayOfYear + 2) / 153
        let day = dayOfYear - (153 * month + 2) / 5 + 1
        return (yearOfEra + era * 400 + (month >= 10 ? 1 : 0), month < 10 ? month + 3 : month - 9, day)
    }

    private static func floorDivide(_ value: Int64, _ divisor: Int64) -> Int64 {
        value >= 0 ? value / divisor : (value - divisor + 1) / divisor
    }

    private static func padded(_ number: Int64, _ width: Int) -> String {
        let digits = String(number)
        return String(repeating: "0", count: max(0, width - digits.count)) + digits
    }
}
