import Foundation
import JSON
import Primitives

/// An object in the response of verifyReceipt. Numbers may be texts or numbers, and dates have three formats.
struct VerifyReceiptFields {
    private let object: JSONValue

    /// Creates the fields, or returns nil if the value is not an object.
    init?(_ value: JSONValue?) {
        guard let value, value.members != nil else { return nil }
        object = value
    }

    /// Returns the objects of an array, or the single object that older responses have in place of an array.
    static func list(_ value: JSONValue?) -> [VerifyReceiptFields] {
        if let one = VerifyReceiptFields(value) { return [one] }
        return (value?.items ?? []).compactMap { VerifyReceiptFields($0) }
    }

    func value(_ name: String) -> JSONValue? { object[name] }

    /// Returns a text or the digits of a number, or nil if the value is missing or empty.
    func text(_ name: String) -> String? {
        switch object[name] {
        case .string(let text): text.isEmpty ? nil : text
        case .number(let digits): digits
        default: nil
        }
    }

    func isTrue(_ name: String) -> Bool { object[name] == .boolean(true) || text(name)?.lowercased() == "true" }

    func integer(_ name: String) -> Int? { text(name).flatMap { Int($0) } }

    /// Returns the date `NAME_ms`, in milliseconds, if it exists. Otherwise returns `NAME`, which is milliseconds
    /// in old responses and a formatted date in new responses.
    func date(_ name: String) -> Date? {
        if let milliseconds = text("\(name)_ms") { return Self.date(milliseconds) }
        return text(name).flatMap(Self.date)
    }

    private static func date(_ text: String) -> Date? {
        if let milliseconds = Int64(text) {
            // The year must be within the range of the calendar for dates.
            guard (0...253_402_300_799_999).contains(milliseconds) else { return nil }
            return Date(timeIntervalSince1970: Double(milliseconds) / 1000)
        }
        // The format is `2012-04-30 15:05:55 Etc/GMT`. Separate fields hold the dates in the time zone of Los
        // Angeles.
        let zone = " Etc/GMT"
        return CivilTime.date(text.hasSuffix(zone) ? "\(text.dropLast(zone.count))Z" : text)
    }
}
