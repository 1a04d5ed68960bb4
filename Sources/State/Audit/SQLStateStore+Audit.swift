import Foundation
package import Gatefold
import Primitives

extension SQLStateStore {
    /// The lock of the end of the audit log. A writer waits for the others, instead of a conflict with each of them.
    private static let auditLock = StateLock("audit")

    @discardableResult
    package func append(_ record: AuditRecord, to chain: AuditChain) async throws -> AuditEntry {
        try await database.write(.locked(Self.auditLock)) { db in
            try AuditRow.append(record, to: chain, at: self.clock.now, db)
        }
    }

    package func head() async throws -> AuditHead? { try await database.read { db in try AuditRow.head(db) } }

    package func page(_ query: AuditQuery) async throws -> [AuditEntry] {
        var (conditions, arguments) = Self.conditions(query.filter)
        let direction: String
        switch query.order {
        case .oldestFirst(let after):
            if let after {
                conditions.append("sequence > ?")
                arguments.append(after)
            }
            direction = "ASC"
        case .newestFirst(let before):
            if let before {
                conditions.append("sequence < ?")
                arguments.append(before)
            }
            direction = "DESC"
        }
        let condition = conditions.isEmpty ? "" : "WHERE " + conditions.joined(separator: " AND ")
        let end = "\(condition) ORDER BY sequence \(direction) LIMIT ?"
        let all = arguments + [query.limit]
        return try await database.read { db in
            try AuditRow.requireTable(db)
            return try db.rows("\(AuditRow.select(db.dialect)) \(end)", all).map(AuditRow.entry)
        }
    }

    private static func conditions(_ filter: AuditQuery.Filter) -> ([String], StateArguments) {
        var conditions: [String] = []
        var arguments: StateArguments = []
        func add(_ condition: String, _ argument: (any StateValueConvertible)?) {
            guard let argument else { return }
            conditions.append(condition)
            arguments.append(argument)
        }
        func milliseconds(_ date: Date?) -> Int64? {
            date.map { Int64(($0.timeIntervalSince1970 * 1_000).rounded(.up)) }
        }
        add("time >= ?", milliseconds(filter.since))
        add("time < ?", milliseconds(filter.until))
        for (column, prefix) in [("actor", filter.actor), ("action", filter.action)] {
            // Both databases count the characters of a text as Unicode scalars.
            add("substr(\(column), 1, \(prefix?.unicodeScalars.count ?? 0)) = ?", prefix)
        }
        add("subject = ?", filter.subject)
        add("publication = ?", filter.publication)
        if !filter.excluded.isEmpty {
            let codes = filter.excluded.map(\.rawValue).sorted()
            conditions.append("action NOT IN (\(codes.map { _ in "?" }.joined(separator: ", ")))")
            for code in codes { arguments.append(code) }
        }
        return (conditions, arguments)
    }
}
