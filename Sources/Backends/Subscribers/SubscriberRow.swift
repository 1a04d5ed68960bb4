import Foundation
import Gatefold
import Primitives
import State

/// An unreadable row. It is thrown as an error, because it must lead neither to a rejection nor to a grant.
///
/// Source: Pitfall 1, “A missing issue list read as everything”.
struct UnreadableRow: BackendFailure, Equatable {
    let table: String
    let column: String

    var cause: String { "column \(column) of table \(table) holds an unreadable value" }
}

/// Decodes rows without trusting their column types.
enum SubscriberRow {
    static let columns = """
        id, identifier, password_hash, state, message, all_editions, migrated, migrated_backend, migrated_pseudonym, registered,
        password_chosen
        """

    /// Decodes a subscriber without the data of other tables.
    static func record(_ row: StateRow) throws -> SubscriberRecord {
        let table = "subscriber"
        guard let state = SubscriberRecord.State(rawValue: try text(row, 3, table, "state")) else {
            throw UnreadableRow(table: table, column: "state")
        }
        let all = try integer(row, 5, table, "all_editions")
        guard all == 0 || all == 1 else { throw UnreadableRow(table: table, column: "all_editions") }
        return SubscriberRecord(
            id: try integer(row, 0, table, "id"), identifier: try text(row, 1, table, "identifier"),
            passwordHash: try optionalText(row, 2, table, "password_hash"), state: state,
            message: try optionalText(row, 4, table, "message"), hasAllEditions: all == 1,
            periods: [], editions: [], categories: [],
            migrated: try optionalInteger(row, 6, table, "migrated").map(Milliseconds.date),
            registered: try optionalInteger(row, 9, table, "registered").map(Milliseconds.date),
            chosen: try optionalInteger(row, 10, table, "password_chosen").map(Milliseconds.date),
            origin: try origin(row, at: 7))
    }

    /// Decodes the columns migrated_backend and migrated_pseudonym, the first at `index`; nil if the origin was not
    /// stored.
    static func origin(_ row: StateRow, at index: Int) throws -> LazyMigrationOrigin? {
        guard let backend = try optionalText(row, index, "subscriber", "migrated_backend"),
            let text = try optionalText(row, index + 1, "subscriber", "migrated_pseudonym")
        else { return nil }
        guard let reference = SubscriberPseudonym(text) else {
            throw UnreadableRow(table: "subscriber", column: "migrated_pseudonym")
        }
        return LazyMigrationOrigin(backend: backend, reference: reference)
    }

    /// Decodes the columns start and end, the first at `index`.
    static func period(_ row: StateRow, at index: Int) throws -> Period {
        let start = try integer(row, index, "period", "start")
        let end = try optionalInteger(row, index + 1, "period", "end")
        return Period(start: Milliseconds.date(start), end: end.map(Milliseconds.date))
    }

    static func edition(_ row: StateRow, at index: Int) throws -> EditionID {
        guard let edition = EditionID(try text(row, index, "edition", "edition")) else {
            throw UnreadableRow(table: "edition", column: "edition")
        }
        return edition
    }

    static func category(_ row: StateRow, at index: Int) throws -> UserInfoCategory {
        UserInfoCategory(
            scheme: try text(row, index, "category", "scheme"), value: try text(row, index + 1, "category", "value"))
    }

    static func integer(_ row: StateRow, _ index: Int, _ table: String, _ column: String) throws -> Int64 {
        guard case .integer(let value) = stored(row, index) else { throw UnreadableRow(table: table, column: column) }
        return value
    }

    static func optionalInteger(_ row: StateRow, _ index: Int, _ table: String, _ column: String) throws -> Int64? {
        if case .null = stored(row, index) { return nil }
        return try integer(row, index, table, column)
    }

    static func optionalText(_ row: StateRow, _ index: Int, _ table: String, _ column: String) throws -> String? {
        switch stored(row, index) {
        case .null: return nil
        case .text(let text): return text
        default: throw UnreadableRow(table: table, column: column)
        }
    }

    private static func text(_ row: StateRow, _ index: Int, _ table: String, _ column: String) throws -> String {
        guard let text = try optionalText(row, index, table, column) else {
            throw UnreadableRow(table: table, column: column)
        }
        return text
    }

    private static func stored(_ row: StateRow, _ index: Int) -> StateValue {
        index < row.values.count ? row.values[index] : .null
    }
}
