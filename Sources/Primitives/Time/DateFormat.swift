package import Foundation

/// A format in which a subscriber system writes days and timestamps. Without a zone they are in UTC.
package enum DateFormat: String, Sendable, CaseIterable {
    /// `2026-11-21`, `2026-11-21 06:00:00`, or RFC 3339.
    case iso
    /// `20261121`, `20261121060000Z`: also the generalised time of directories (RFC 4517 section 3.3.13).
    case compact
    /// `21/11/2026`, `21.11.2026` or `21-11-2026`.
    case dayFirst = "day_first"
    /// `11/21/2026`.
    case monthFirst = "month_first"
    /// Seconds since 1970.
    case unix

    /// Parses a date. Returns nil for a text in another format.
    ///
    /// - Parameter isEnd: whether a day without a time means its last millisecond (an end) rather than its first (a
    ///   start).
    package func date(_ text: String, isEnd: Bool) -> Date? {
        let text = text.trimmingCharacters(in: .whitespaces)
        guard text.utf8.count <= 40, text.utf8.allSatisfy({ $0 < 0x80 }) else { return nil }
        switch self {
        case .iso:
            return Self.iso(text, isEnd: isEnd)
        case .compact:
            let digits = text.prefix { $0.isNumber }
            let rest = text.dropFirst(digits.count)
            guard digits.count == 8 || digits.count == 14, rest.isEmpty || rest == "Z" || rest == ".0Z" else {
                return nil
            }
            let numbers = Array(digits)
            func part(_ range: Range<Int>) -> String { String(numbers[range]) }
            let day = "\(part(0..<4))-\(part(4..<6))-\(part(6..<8))"
            guard digits.count == 14 else { return Self.iso(day, isEnd: isEnd) }
            return Self.iso("\(day)T\(part(8..<10)):\(part(10..<12)):\(part(12..<14))Z", isEnd: isEnd)
        case .dayFirst, .monthFirst:
            let parts = text.split(omittingEmptySubsequences: false) { "/.-".contains($0) }
            guard parts.count == 3, (1...2).contains(parts[0].count), (1...2).contains(parts[1].count),
                parts[2].count == 4
            else { return nil }
            let (day, month) = self == .dayFirst ? (parts[0], parts[1]) : (parts[1], parts[0])
            func two(_ number: Substring) -> String { number.count == 1 ? "0\(number)" : String(number) }
            return Self.iso("\(parts[2])-\(two(month))-\(two(day))", isEnd: isEnd)
        case .unix:
            guard let seconds = Int64(text), (0...253_402_300_799).contains(seconds) else { return nil }
            return Date(timeIntervalSince1970: TimeInterval(seconds))
        }
    }

    /// Parses an ISO date. A database timestamp may lack a zone, which then is UTC, or have a zone of hours only.
    private static func iso(_ text: String, isEnd: Bool) -> Date? {
        var text = text
        if text.utf8.count >= 19 {
            let zone = text.dropFirst(19).drop { $0 == "." || $0.isNumber }
            if zone.isEmpty { text += "Z" }
            if zone.count == 3 { text += ":00" }
        }
        return CivilTime.date(text, isEnd: isEnd)
    }
}
