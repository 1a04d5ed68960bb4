import Foundation
import GRDB

/// Decoding of rows without trust in their column types.
enum StateRow {
    static func date(_ row: Row, _ index: Int, _ table: String) throws -> Date {
        guard case .double(let seconds) = storage(row, index) else { throw StateStoreError.unreadableRow(table: table) }
        return Date(timeIntervalSince1970: seconds)
    }

    static func integer(_ row: Row, _ index: Int, _ table: String) throws -> Int64 {
        guard case .int64(let value) = storage(row, index) else { throw StateStoreError.unreadableRow(table: table) }
        return value
    }

    /// Returns a count, which is never negative.
    static func count(_ row: Row, _ index: Int, _ table: String) throws -> Int {
        guard let count = Int(exactly: try integer(row, index, table)), count >= 0 else {
            throw StateStoreError.unreadableRow(table: table)
        }
        return count
    }

    static func text(_ row: Row, _ index: Int, _ table: String) throws -> String {
        guard case .string(let text) = storage(row, index) else { throw StateStoreError.unreadableRow(table: table) }
        return text
    }

    static func bytes(_ row: Row, _ index: Int, _ table: String) throws -> Data {
        guard case .blob(let data) = storage(row, index) else { throw StateStoreError.unreadableRow(table: table) }
        return data
    }

    /// Returns the value that `read` decodes, or nil for a NULL column.
    static func optional<Value>(
        _ read: (Row, Int, String) throws -> Value, _ row: Row, _ index: Int, _ table: String
    ) throws -> Value? {
        if case .null = storage(row, index) { return nil }
        return try read(row, index, table)
    }

    /// Returns a text column converted to a value of a restricted type.
    static func name<Value>(
        _ row: Row, _ index: Int, _ table: String, as make: (String) -> Value?
    ) throws -> Value {
        guard let value = make(try text(row, index, table)) else { throw StateStoreError.unreadableRow(table: table) }
        return value
    }

    private static func storage(_ row: Row, _ index: Int) -> DatabaseValue.Storage {
        let value: DatabaseValue = row[index]
        return value.storage
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
