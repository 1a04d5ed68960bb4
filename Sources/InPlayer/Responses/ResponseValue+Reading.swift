import Foundation

extension ResponseValue {
    /// The text, or the text of a scalar.
    var text: String? {
        switch self {
        case .text(let text): text
        case .integer(let integer): String(integer)
        case .number(let number): String(number)
        case .flag(let flag): flag ? "1" : "0"
        case .object, .list, .null: nil
        }
    }

    /// The integer, also if it is written as a text or as a fraction of zero.
    var integer: Int? {
        switch self {
        case .integer(let integer): Int(exactly: integer)
        case .number(let number): Int(exactly: number)
        case .text(let text): Int(text)
        case .flag, .object, .list, .null: nil
        }
    }

    /// The amount of money, written as a number or a text.
    var amount: Decimal? {
        switch self {
        case .integer(let integer): Decimal(integer)
        // The shortest text gives an exact value: the Decimal of 4.99 is 4.99 and not 4.990000000000001.
        case .number(let number): Decimal(string: String(number), locale: Locale(identifier: "en_US_POSIX"))
        case .text(let text): Decimal(string: text, locale: Locale(identifier: "en_US_POSIX"))
        case .flag, .object, .list, .null: nil
        }
    }

    /// The Boolean value, also if it is written as 1 or 0.
    var flag: Bool? {
        switch self {
        case .flag(let flag): flag
        case .integer(let integer): integer == 0 ? false : integer == 1 ? true : nil
        case .text(let text): ["1": true, "true": true, "0": false, "false": false][text]
        case .number, .object, .list, .null: nil
        }
    }

    /// The date of a Unix time in seconds, or nil before 1970, because InPlayer writes the year 1 for “from the
    /// beginning”.
    var timestamp: Date? {
        let seconds: Double? =
            switch self {
            case .integer(let integer): Double(integer)
            case .number(let number): number
            case .text(let text): Double(text)
            case .flag, .object, .list, .null: nil
            }
        guard let seconds, seconds.isFinite, seconds >= 0 else { return nil }
        return Date(timeIntervalSince1970: seconds)
    }

    /// The end of a period, or nil for the value 0, which means no end.
    var end: Date? {
        timestamp.flatMap { $0.timeIntervalSince1970 == 0 ? nil : $0 }
    }

    /// Returns the start of access, or nil if the member is missing, null or a date before 1970.
    ///
    /// - Throws: ``UnreadableResponse`` if the member is any other value and not a date.
    func beginning(_ name: String) throws(UnreadableResponse) -> Date? {
        guard let member = self[name] else { return nil }
        guard let timestamp = member.anyDate else { throw UnreadableResponse(name, expected: "a timestamp") }
        return timestamp.timeIntervalSince1970 < 0 ? nil : timestamp
    }

    /// Returns the end of access. Nil means no end, and is returned only if the member is missing, null or 0.
    ///
    /// - Throws: ``UnreadableResponse`` if the member is any other value and not a date after 1970, because the value
    ///   may mean an end.
    func ending(_ name: String) throws(UnreadableResponse) -> Date? {
        guard let member = self[name] else { return nil }
        guard let timestamp = member.anyDate, timestamp.timeIntervalSince1970 >= 0 else {
            throw UnreadableResponse(name, expected: "a timestamp, null or 0")
        }
        return timestamp.timeIntervalSince1970 == 0 ? nil : timestamp
    }

    /// The date of a Unix time in seconds, of any year, or of an ISO 8601 text.
    private var anyDate: Date? {
        let seconds: Double? =
            switch self {
            case .integer(let integer): Double(integer)
            case .number(let number): number
            case .text(let text): Double(text)
            case .flag, .object, .list, .null: nil
            }
        if let seconds { return seconds.isFinite ? Date(timeIntervalSince1970: seconds) : nil }
        guard case .text(let text) = self else { return nil }
        return try? Date.ISO8601FormatStyle().parse(text)
    }

    /// The entries of a list, or nil if the value is not a list.
    var entries: [ResponseValue]? {
        if case .list(let list) = self { list } else { nil }
    }

    var list: [ResponseValue] { entries ?? [] }

    /// The texts by name, written as an object or as a list of `{name, value}`. An empty list means no texts.
    var texts: [String: String] {
        switch self {
        case .object(let members):
            members.compactMapValues(\.text)
        case .list(let list):
            Dictionary(
                list.compactMap { item in
                    guard let name = item["name"]?.text, let value = item["value"]?.text else { return nil }
                    return (name, value)
                }, uniquingKeysWith: { first, _ in first })
        case .text, .integer, .number, .flag, .null:
            [:]
        }
    }
}
