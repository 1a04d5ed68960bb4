import Foundation
import Primitives
import Synchronization

@testable import State

/// A statement for PostgreSQL, translated to SQLite.
struct TranslatedStatement: Sendable {
    /// What the server does with a statement.
    enum Kind {
        case commit, rollback
        /// The token of another transaction is written.
        case token
        /// Old tokens are deleted.
        case tokenRemoval
        /// The snapshot of the transaction is read.
        case snapshot
        /// The catalogue is asked whether a table exists, or for the migrations.
        case existence, migrations
        /// SQLite executes it.
        case other
    }

    let kind: Kind
    /// The tables whose names occur in the statement.
    let tables: Set<String>
    let sql: String
    /// The types of the parameters, as the statement names them.
    private let types: [Substring]

    private static let known = Mutex<[String: TranslatedStatement]>([:])

    static func of(_ sql: String) -> TranslatedStatement {
        known.withLock { known in
            if let statement = known[sql] { return statement }
            let statement = TranslatedStatement(sql)
            known[sql] = statement
            return statement
        }
    }

    private static let tables = [
        "revocation", "shared_fact", "device", "known_device", "rate_counter", "lease", "node", "delivery",
        "store_transaction", "store_clock", "token_bounds", "generation", "owner_link", "receipt", "claim",
        "store_event", "mail", "document", "reader_event", "known_reader",
        "erased_reader", "timeline_writer", "admin_token", "admin_outcome",
    ]

    private static func kind(of sql: String) -> Kind {
        switch sql {
        case "COMMIT": .commit
        case "ROLLBACK": .rollback
        case let sql where sql.contains(".write_token (token)"): .token
        case let sql where sql.contains("DELETE FROM write_token"): .tokenRemoval
        case let sql where sql.contains("pg_current_snapshot()"): .snapshot
        case let sql where sql.contains("FROM pg_catalog"): .existence
        case let sql where sql.hasPrefix("SELECT number, checksum, name FROM"): .migrations
        default: .other
        }
    }

    private init(_ sql: String) {
        kind = Self.kind(of: sql)
        tables = Set(Self.tables.filter { sql.contains($0) })
        var translated = ""
        var types: [Substring] = []
        for (index, part) in sql.split(separator: "$", omittingEmptySubsequences: false).enumerated() {
            if index == 0 {
                translated += part
                continue
            }
            var rest = part.drop { $0.isNumber }
            var type: Substring = ""
            for name in ["bigint", "double precision", "text", "bytea"] where rest.hasPrefix("::\(name)") {
                type = rest.dropFirst(2).prefix(name.count)
                rest = rest.dropFirst(2 + name.count)
            }
            types.append(type)
            if rest.hasPrefix("::xid8[]") {
                translated += "SELECT value FROM json_each('[' || trim(?\(index), '{}') || ']')"
                rest = rest.dropFirst("::xid8[]".count)
            } else if rest.hasPrefix("::xid8") {
                translated += "CAST(?\(index) AS INTEGER)"
                rest = rest.dropFirst("::xid8".count)
            } else {
                translated += "?\(index)"
            }
            translated += rest
        }
        self.types = types
        self.sql = translated.replacing("xid::text::bigint", with: "xid").replacing("xid = ANY ", with: "xid IN ")
            .replacing(" FOR UPDATE SKIP LOCKED", with: "")
    }

    func values(_ texts: [String?]) -> [StateValue] {
        zip(texts, types).map { text, type in
            guard let text else { return .null }
            return switch type {
            case "bigint": Int64(text).map { .integer($0) } ?? .text(text)
            case "double precision": Double(text).map { .real($0) } ?? .text(text)
            case "bytea": Hexadecimal.decode(text.dropFirst(2)).map { .bytes(Data($0)) } ?? .text(text)
            default: .text(text)
            }
        }
    }
}
