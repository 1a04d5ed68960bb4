import Foundation

extension Answer {
    /// A text, or what a scalar looks like as one.
    var text: String? {
        switch self {
        case .text(let text): text
        case .integer(let integer): String(integer)
        case .number(let number): String(number)
        case .flag(let flag): flag ? "1" : "0"
        case .object, .list, .null: nil
        }
    }

    /// An integer, also one written as a text or with a fraction of zero.
    var integer: Int? {
        switch self {
        case .integer(let integer): Int(exactly: integer)
        case .number(let number): Int(exactly: number)
        case .text(let text): Int(text)
        case .flag, .object, .list, .null: nil
        }
    }

    /// An amount of money, which stands as a number or a text.
    var amount: Decimal? {
        switch self {
        case .integer(let integer): Decimal(integer)
        // By its shortest text: a Decimal of 4.99 has 4.99 and not 4.990000000000001.
        case .number(let number): Decimal(string: String(number), locale: Locale(identifier: "en_US_POSIX"))
        case .text(let text): Decimal(string: text, locale: Locale(identifier: "en_US_POSIX"))
        case .flag, .object, .list, .null: nil
        }
    }

    /// True or false, also as 1 and 0.
    var flag: Bool? {
        switch self {
        case .flag(let flag): flag
        case .integer(let integer): integer == 0 ? false : integer == 1 ? true : nil
        case .text(let text): ["1": true, "true": true, "0": false, "false": false][text]
        case .number, .object, .list, .null: nil
        }
    }

    /// A moment in Unix seconds. Before 1970 it stands for none: InPlayer writes the year 1 for "from the beginning".
    var moment: Date? {
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

    /// When something ends; 0 is written where it does not.
    var end: Date? {
        moment.flatMap { $0.timeIntervalSince1970 == 0 ? nil : $0 }
    }

    /// Nil for what is no list.
    var entries: [Answer]? {
        if case .list(let list) = self { list } else { nil }
    }

    var list: [Answer] { entries ?? [] }

    /// Named texts, written as an object, as a list of `{name, value}`, or as an empty list for none.
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
