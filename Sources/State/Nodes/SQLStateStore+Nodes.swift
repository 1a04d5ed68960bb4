public import Foundation
public import Gatefold
import Primitives

extension SQLStateStore {
    public func heartbeat(
        _ node: NodeIdentity, behind: TimeInterval,
        claim: @escaping @Sendable (_ others: [NodeReport]) -> [String: Int]
    ) async throws -> [NodeReport] {
        try await database.write(.locked(StateLock("nodes"))) { db in
            let now = self.clock.now
            let known = try Self.nodes(db)
            let others = known.filter { $0.node.id != node.id }
            let slots = claim(others)
            // A new process of the node takes readers again.
            let before = known.first { $0.node.isProcess(node) }
            let report = NodeReport(
                node: node, heard: now, behind: behind, isDraining: before?.isDraining ?? false, slots: slots)
            try db.execute(
                """
                INSERT INTO node (id, name, version, started, heard, behind, draining, slots, url)
                VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)
                ON CONFLICT (id) DO UPDATE SET name = excluded.name, version = excluded.version,
                    started = excluded.started, heard = excluded.heard, behind = excluded.behind,
                    draining = excluded.draining, slots = excluded.slots, url = excluded.url
                """,
                [
                    Data(node.id), try StateText.storable(node.name, Self.node),
                    try StateText.storable(node.version, Self.node), node.started.timeIntervalSince1970,
                    now.timeIntervalSince1970, behind, report.isDraining, try Self.text(slots),
                    try node.url.map { try StateText.storable($0, Self.node) },
                ])
            return others + [report]
        }
    }

    public func nodes() async throws -> [NodeReport] {
        try await database.read { db in try Self.nodes(db) }
    }

    public func setDraining(_ isDraining: Bool, ofNode name: String) async throws -> Bool {
        try await database.write(.locked(StateLock("nodes"))) { db in
            try db.execute("UPDATE node SET draining = ? WHERE name = ?", [isDraining, name]) > 0
        }
    }

    public func removeNode(_ report: NodeReport) async throws {
        try await database.write(.locked(StateLock("nodes"))) { db in
            try db.execute(
                "DELETE FROM node WHERE id = ? AND heard <= ?",
                // A date loses its last digits in a row.
                [Data(report.node.id), report.heard.timeIntervalSince1970 + 0.000_01])
        }
    }

    private static let node = "node"

    /// Returns the nodes. An unreadable row stops no other node. Its node counts until it has been lost for long, because it
    /// may still make the calls that it claimed.
    ///
    /// Source: Pitfall 31, “One unreadable row that stops the follower”.
    private static func nodes(_ db: any StateTransaction) throws -> [NodeReport] {
        try db.rows(
            "SELECT id, name, version, started, heard, behind, draining, slots, url FROM node ORDER BY name, id"
        ).compactMap { row in
            guard let id = try? Array(StateRow.bytes(row, 0, node)) else { return nil }
            let claimed = try? slots(StateRow.text(row, 7, node))
            return NodeReport(
                node: NodeIdentity(
                    id: id, name: (try? StateRow.text(row, 1, node)) ?? "unreadable",
                    version: (try? StateRow.text(row, 2, node)) ?? "",
                    started: (try? StateRow.date(row, 3, node)) ?? .distantPast,
                    url: try? StateRow.optional(StateRow.text, row, 8, node)),
                heard: (try? StateRow.date(row, 4, node)) ?? .distantPast,
                behind: (try? StateRow.real(row, 5, node)) ?? 0,
                isDraining: (try? StateRow.integer(row, 6, node)) == 1, slots: claimed ?? [:],
                hasUnknownSlots: claimed == nil)
        }
    }

    private static func text(_ slots: [String: Int]) throws -> String {
        let encoder = JSONEncoder()
        encoder.outputFormatting = .sortedKeys
        return try StateText.storable(String(decoding: encoder.encode(slots), as: UTF8.self), node)
    }

    private static func slots(_ text: String) throws -> [String: Int] {
        try JSONDecoder().decode([String: Int].self, from: Data(text.utf8))
    }
}
