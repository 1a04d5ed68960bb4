import Foundation
import Gatefold

/// The periods for which tokens of a publication can matter.
enum TokenBoundsRow {
    private static let table = "token_bounds"

    static func bounds(_ db: any StateTransaction, of publication: PublicationID) throws -> TokenBounds? {
        try db.row("SELECT lifetime, after_expiry FROM token_bounds WHERE publication = ?", [publication.rawValue]).map
        { row in
            TokenBounds(lifetime: try seconds(row, 0), afterExpiry: try seconds(row, 1))
        }
    }

    static func write(_ db: any StateTransaction, _ bounds: TokenBounds, of publication: PublicationID) throws {
        try db.execute(
            """
            INSERT INTO token_bounds (publication, lifetime, after_expiry, pruned_until) VALUES (?, ?, ?, 0)
            ON CONFLICT (publication) DO UPDATE
            SET lifetime = excluded.lifetime, after_expiry = excluded.after_expiry
            """, [publication.rawValue, bounds.lifetime, bounds.afterExpiry])
    }

    /// Returns the latest token expiry whose revocations were deleted, by publication.
    static func prunedUntil(_ db: any StateTransaction) throws -> [PublicationID: Date] {
        var all: [PublicationID: Date] = [:]
        for row in try db.rows("SELECT publication, pruned_until FROM token_bounds WHERE pruned_until > 0") {
            guard let publication = PublicationID(try StateRow.text(row, 0, table)) else { continue }
            all[publication] = try StateRow.date(row, 1, table)
        }
        return all
    }

    private static func seconds(_ row: StateRow, _ index: Int) throws -> TimeInterval {
        try StateRow.date(row, index, table).timeIntervalSince1970
    }
}
