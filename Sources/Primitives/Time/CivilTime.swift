public import Foundation

/// A parser of days (`2026-11-21`, in UTC) and of timestamps (RFC 3339 section 5.6, also with a space instead of
/// `T`), as people and databases write them.
public enum CivilTime {
    private static let day: Int64 = 86_400_000

    /// Returns the time of a text, or nil for any other text and for days that do not exist.
    public static func date(_ text: some StringProtocol, isEnd: Bool = false) -> Date? {
        milliseconds(text, isEnd: isEnd).map { Date(timeIntervalSince1970: Double($0) / 1000) }
    }

    /// Returns milliseconds since 1970, or nil for any other text and for days that do not exist.
    ///
    /// - Parameters:
    ///   - text: The day or the time.
    ///   - isEnd: `true` to read a day as its last millisecond, `false` as its first.
    public static func milliseconds(_ text: some StringProtocol, isEnd: Bool = false) -> Int64? {
        var digits = Digits(bytes: Array(text.utf8))
        guard let year = digits.take(4), digits.skip("-"), let month = digits.take(2), digits.skip("-"),
            let dayOfMonth = digits.take(2), year >= 1, (1...12).contains(month),
            (1...lastDay(month, year)).contains(dayOfMonth)
        else { return nil }
        let midnight = Int64(daysSince1970(year, month, dayOfMonth)) * day
        if digits.isAtEnd { return isEnd ? midnight + day - 1 : midnight }
        guard digits.skip("T") || digits.skip("t") || digits.skip(" "),
            let hour = digits.take(2), hour < 24, digits.skip(":"), let minute = digits.take(2), minute < 60,
            digits.skip(":"), let second = digits.take(2), second < 60
        else { return nil }
        let fraction = digits.skip(".") ? digits.takeThousandths() : 0
        guard let fraction, let offset = digits.takeOffset(), digits.isAtEnd else { return nil }
        let seconds = Int64(hour * 3600 + minute * 60 + second - offset * 60)
        return midnight + seconds * 1000 + Int64(fraction)
    }

    private static func lastDay(_ month: Int, _ year: Int) -> Int {
        switch month {
        case 4, 6, 9, 11: 30
        case 2: year % 4 == 0 && (year % 100 != 0 || year % 400 == 0) ? 29 : 28
        default: 31
        }
    }

    /// Computes days in the proleptic Gregorian calendar. Years start in March, so that the leap day is the last
    /// day.
    private static func daysSince1970(_ year: Int, _ month: Int, _ day: Int) -> Int {
        let marchYear = month > 2 ? year : year - 1
        let marchMonth = (month + 9) % 12
        let dayOfYear = (153 * marchMonth + 2) / 5 + day - 1
        return marchYear * 365 + marchYear / 4 - marchYear / 100 + marchYear / 400 + dayOfYear - 719_468
    }
}

/// A reader of fixed numbers of digits.
private struct Digits {
    let bytes: [UInt8]
    var index = 0

    var isAtEnd: Bool { index == bytes.count }

    mutating func take(_ count: Int) -> Int? {
        guard index + count <= bytes.count else { return nil }
        var value = 0
        for byte in bytes[index..<index + count] {
            guard (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) else { return nil }
            value = value * 10 + Int(byte - UInt8(ascii: "0"))
        }
        index += count
        return value
    }

    mutating func skip(_ letter: Unicode.Scalar) -> Bool {
        guard index < bytes.count, bytes[index] == UInt8(ascii: letter) else { return false }
        index += 1
        return true
    }

    /// Reads one to nine digits after a decimal point and truncates them to thousandths.
    mutating func takeThousandths() -> Int? {
        var value = 0
        var count = 0
        while count < 9, let digit = take(1) {
            if count < 3 { value = value * 10 + digit }
            count += 1
        }
        guard count > 0 else { return nil }
        for _ in count..<max(count, 3) { value *= 10 }
        return value
    }

    /// Reads the offset in minutes east of UTC.
    mutating func takeOffset() -> Int? {
        if skip("Z") || skip("z") { return 0 }
        let sign = skip("+") ? 1 : skip("-") ? -1 : 0
        guard sign != 0, let hours = take(2), hours < 24, skip(":"), let minutes = take(2), minutes < 60 else {
            return nil
        }
        return sign * (hours * 60 + minutes)
    }
}
