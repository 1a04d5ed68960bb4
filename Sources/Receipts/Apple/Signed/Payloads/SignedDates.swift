import Foundation
import JSON

/// Moments as Apple writes them: milliseconds since 1970 (PROTOCOLS 6.3).
enum SignedDates {
    /// The year 2200 in seconds. What lies beyond is no date: an arithmetic trap, or a mistake of units.
    static let end: TimeInterval = 7_258_118_400

    static func date(milliseconds: Double) -> Date? {
        let seconds = milliseconds / 1000
        guard seconds >= 0, seconds < end else { return nil }
        return Date(timeIntervalSince1970: seconds)
    }

    static func milliseconds(_ date: Date) -> Int64 { Int64((date.timeIntervalSince1970 * 1000).rounded()) }
}

/// Apple's payloads, read leniently: what is a number may be written as a text, and the reverse.
extension JSONValue {
    /// A moment; nil where there is none, or it is none.
    func milliseconds(_ name: String) -> Date? {
        switch self[name] {
        case .number(let text), .string(let text): Double(text).flatMap { SignedDates.date(milliseconds: $0) }
        default: nil
        }
    }

    /// An identifier, not empty and of at most so many bytes.
    func identifier(_ name: String, longest: Int) -> String? {
        switch self[name] {
        case .number(let text), .string(let text):
            text.isEmpty || text.utf8.count > longest ? nil : text
        default: nil
        }
    }

    func wholeNumber(_ name: String) -> Int64? {
        switch self[name] {
        case .number(let text), .string(let text): Int64(text)
        default: nil
        }
    }

    /// Whether a member is there and more than `null`.
    func has(_ name: String) -> Bool {
        switch self[name] {
        case nil, .null: false
        default: true
        }
    }
}
