import Foundation
import JSON

/// Dates in Apple's format: milliseconds since 1970.
///
/// Source: App Store protocol, “Transaction payload”.
enum SignedDates {
    /// The year 2200 in seconds. A later value is invalid: an attempt to cause an overflow, or a wrong unit.
    static let end: TimeInterval = 7_258_118_400

    static func date(milliseconds: Double) -> Date? {
        let seconds = milliseconds / 1000
        guard seconds >= 0, seconds < end else { return nil }
        return Date(timeIntervalSince1970: seconds)
    }

    static func milliseconds(_ date: Date) -> Int64 { Int64((date.timeIntervalSince1970 * 1000).rounded()) }
}

/// A lenient reader of Apple's payloads: a number may be written as a text, and a text as a number.
extension JSONValue {
    /// Returns a date, or nil if the member is missing or is not a date.
    func milliseconds(_ name: String) -> Date? {
        switch self[name] {
        case .number(let text), .string(let text): Double(text).flatMap { SignedDates.date(milliseconds: $0) }
        default: nil
        }
    }

    /// Returns an identifier that is not empty and has at most `maxLength` bytes.
    func identifier(_ name: String, maxLength: Int) -> String? {
        switch self[name] {
        case .number(let text), .string(let text):
            text.isEmpty || text.utf8.count > maxLength ? nil : text
        default: nil
        }
    }

    func integer(_ name: String) -> Int64? {
        switch self[name] {
        case .number(let text), .string(let text): Int64(text)
        default: nil
        }
    }

    /// Returns whether a member exists and is not `null`.
    func has(_ name: String) -> Bool {
        switch self[name] {
        case nil, .null: false
        default: true
        }
    }
}
