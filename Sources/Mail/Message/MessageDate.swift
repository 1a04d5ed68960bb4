import Foundation

/// The date format of a header (RFC 5322, section 3.3), in UTC.
enum MessageDate {
    static func text(_ timestamp: Date) -> String {
        var calendar = Calendar(identifier: .gregorian)
        calendar.timeZone = .gmt
        let parts = calendar.dateComponents([.weekday, .day, .month, .year, .hour, .minute, .second], from: timestamp)
        guard let weekday = parts.weekday, let day = parts.day, let month = parts.month, let year = parts.year,
            days.indices.contains(weekday - 1), months.indices.contains(month - 1)
        else { return "Thu, 01 Jan 1970 00:00:00 +0000" }
        let time = [parts.hour, parts.minute, parts.second].map { two($0 ?? 0) }.joined(separator: ":")
        return "\(days[weekday - 1]), \(two(day)) \(months[month - 1]) \(year) \(time) +0000"
    }

    private static func two(_ number: Int) -> String { number < 10 ? "0\(number)" : "\(number)" }

    private static let days = ["Sun", "Mon", "Tue", "Wed", "Thu", "Fri", "Sat"]
    private static let months = [
        "Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec",
    ]
}
