import AdminAPI
import Foundation
import Gatefold
import JSON

/// Schemas that several operations use.
enum AdminSchemas {
    static let publication = AdminSchema.string(AdminText(1...64, .name))
    static let pseudonym = AdminSchema.string(AdminText(14...14, .hexadecimal))
    static let device = AdminSchema.string(AdminText(16...16, .hexadecimal))
    static let text = AdminSchema.string(.upTo(8_192))
    static let handle = AdminSchema.string(AdminText(1...ReaderHandle.maxLength, .base64URL))

    static let readerParameter = AdminProperty(
        "reader", handle, "The handle of a reader, from another response of this API.")
}

extension JSONValue {
    static func count(_ number: Int) -> JSONValue { .number(String(number)) }

    static func number(_ value: Double) -> JSONValue {
        value.isFinite ? .number(String((value * 1_000).rounded() / 1_000)) : .null
    }

    static func time(_ date: Date?) -> JSONValue { date.map { AdminSchema.text($0) } ?? .null }

    /// A text of another system: one line without control characters, of up to ``maxLineLength`` characters.
    static func line(_ text: String) -> JSONValue {
        let line = LineLogHandler.oneLine(text)
        return .string(line.count <= maxLineLength ? line : line.prefix(maxLineLength - 1) + "…")
    }

    private static let maxLineLength = 1_000

    static func optionalLine(_ text: String?) -> JSONValue { text.map(JSONValue.line) ?? .null }

    static func optional(_ text: String?) -> JSONValue { text.map(JSONValue.string) ?? .null }
}

/// A key of a list that is ordered by time. Keys ascend as their times and then their names do.
enum TimeKey {
    static func of(_ date: Date, _ name: String) -> String {
        // Times before 1970 do not occur.
        let milliseconds = String(Int64(max(0, min(date.timeIntervalSince1970, 1e12)) * 1_000))
        return String(repeating: "0", count: 16 - milliseconds.count) + milliseconds + " " + name
    }
}
