import Foundation
import Gatefold
import JSON

/// An object of verifyReceipt's answer, in which numbers are texts as well as numbers, and dates have three formats.
struct VerifyReceiptFields {
    private let object: JSONValue

    /// Nil for what is no object.
    init?(_ value: JSONValue?) {
        guard let value, value.members != nil else { return nil }
        object = value
    }

    /// The objects of an array, or the one object that stands where newer answers have an array.
    static func list(_ value: JSONValue?) -> [VerifyReceiptFields] {
        if let one = VerifyReceiptFields(value) { return [one] }
        return (value?.items ?? []).compactMap { VerifyReceiptFields($0) }
    }

    func value(_ name: String) -> JSONValue? { object[name] }

    /// A text, or the digits of a number; nil where there is none, or an empty one.
    func text(_ name: String) -> String? {
        switch object[name] {
        case .string(let text): text.isEmpty ? nil : text
        case .number(let digits): digits
        default: nil
        }
    }

    func isTrue(_ name: String) -> Bool { object[name] == .boolean(true) || text(name)?.lowercased() == "true" }

    func integer(_ name: String) -> Int? { text(name).flatMap { Int($0) } }

    /// `NAME_ms` where there is one, in milliseconds; else `NAME`, which is milliseconds in old answers and a date in new ones.
    func date(_ name: String) -> Date? {
        if let milliseconds = text("\(name)_ms") { return Self.date(milliseconds) }
        return text(name).flatMap(Self.date)
    }

    private static func date(_ text: String) -> Date? {
        if let milliseconds = Int64(text) {
            // Within the years of the calendar that dates are read in.
            guard (0...253_402_300_799_999).contains(milliseconds) else { return nil }
            return Date(timeIntervalSince1970: Double(milliseconds) / 1000)
        }
        // As in `2012-04-30 15:05:55 Etc/GMT`; those of Los Angeles stand in fields of their own.
        let zone = " Etc/GMT"
        return CivilTime.date(text.hasSuffix(zone) ? "\(text.dropLast(zone.count))Z" : text)
    }
}
