import Foundation

/// A row of a result.
package struct StateRow: Sendable {
    package let values: [StateValue]
}

/// Decoding of rows without trust in their column types.
extension StateRow {
    static func real(_ row: StateRow, _ index: Int, _ table: String) throws -> Double {
        guard case .real(let value) = row.values[index] else { throw StateStoreError.unreadableRow(table: table) }
        return value
    }

    static func date(_ row: StateRow, _ index: Int, _ table: String) throws -> Date {
        Date(timeIntervalSince1970: try real(row, index, table))
    }

    static func integer(_ row: StateRow, _ index: Int, _ table: String) throws -> Int64 {
        guard case .integer(let value) = row.values[index] else { throw StateStoreError.unreadableRow(table: table) }
        return value
    }

    /// Returns a count, which is never negative.
    static func count(_ row: StateRow, _ index: Int, _ table: String) throws -> Int {
        guard let count = Int(exactly: try integer(row, index, table)), count >= 0 else {
            throw StateStoreError.unreadableRow(table: table)
        }
        return count
    }

    static func text(_ row: StateRow, _ index: Int, _ table: String) throws -> String {
        guard case .text(let text) = row.values[index] else { throw StateStoreError.unreadableRow(table: table) }
        return text
    }

    static func bytes(_ row: StateRow, _ index: Int, _ table: String) throws -> Data {
        guard case .bytes(let data) = row.values[index] else { throw StateStoreError.unreadableRow(table: table) }
        return data
    }

    /// Returns the value that `read` decodes, or nil for a NULL column.
    static func optional<Value>(
        _ read: (StateRow, Int, String) throws -> Value, _ row: StateRow, _ index: Int, _ table: String
    ) throws -> Value? {
        if case .null = row.values[index] { return nil }
        return try read(row, index, table)
    }

    /// Returns a text column converted to a value of a restricted type.
    static func name<Value>(
        _ row: StateRow, _ index: Int, _ table: String, as make: (String) -> Value?
    ) throws -> Value {
        guard let value = make(try text(row, index, table)) else { throw StateStoreError.unreadableRow(table: table) }
        return value
    }
}

/// Validation of external texts before they are stored in a row.
enum StateText {
    /// Rejects a text with U+0000, because SQLite would cut the text off and PostgreSQL would not accept it. Two
    /// texts must never become one.
    static func storable(_ text: String, _ table: String) throws -> String {
        guard !text.utf8.contains(0) else { throw StateStoreError.unstorableText(table: table) }
        return text
    }

    static func storable(ifAny text: String?, _ table: String) throws -> String? {
        try text.map { try storable($0, table) }
    }
}
