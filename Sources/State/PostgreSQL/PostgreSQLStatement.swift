import Foundation
import Primitives

/// A statement with PostgreSQL's placeholders and the texts of its parameters.
///
/// Each placeholder names the type of its parameter, because PostgreSQL would otherwise infer another one in a few
/// places, such as the branches of CASE.
struct PostgreSQLStatement: Equatable {
    let sql: String
    let values: [String?]

    init(_ sql: String, _ arguments: StateArguments) {
        var numbered = ""
        var number = 0
        for part in sql.split(separator: "?", omittingEmptySubsequences: false) {
            if number > 0 { numbered += "$\(number)\(Self.cast(arguments[number - 1].stateValue))" }
            numbered += part
            number += 1
        }
        self.sql = numbered
        values = arguments.map { Self.text($0.stateValue) }
    }

    private static func cast(_ value: StateValue) -> String {
        switch value {
        case .null: ""
        case .integer: "::bigint"
        case .real: "::double precision"
        case .text: "::text"
        case .bytes: "::bytea"
        }
    }

    /// Returns the text of a parameter; nil for NULL.
    static func text(_ value: StateValue) -> String? {
        switch value {
        case .null: nil
        case .integer(let value): String(value)
        case .real(let value): String(value)
        case .text(let value): value
        case .bytes(let value): "\\x" + Hexadecimal.encode(value)
        }
    }
}

extension StateValue {
    /// Creates a value from its text in a result.
    ///
    /// - Parameter type: The OID of the column's type.
    init(text: String?, type: UInt32) {
        guard let text else {
            self = .null
            return
        }
        switch type {
        // bool, bigint, double precision, bytea. An unreadable text stays a text, so that the row is unreadable.
        case 16: self = .integer(text == "t" ? 1 : 0)
        case 20: self = Int64(text).map { .integer($0) } ?? .text(text)
        case 701: self = Double(text).map { .real($0) } ?? .text(text)
        case 17: self = Hexadecimal.decode(text.dropFirst(2)).map { .bytes(Data($0)) } ?? .text(text)
        default: self = .text(text)
        }
    }
}
