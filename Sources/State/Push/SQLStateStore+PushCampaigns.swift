import Foundation
public import Gatefold

extension SQLStateStore {
    public func begin(_ campaign: PushCampaign) async throws -> PushCampaign {
        try await database.write(.statements) { db in
            try db.execute(
                """
                INSERT INTO push_campaign (
                    name, publication, app, environment, edition, begun, position, sent, failed, gone, finished)
                VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT (name) DO NOTHING
                """,
                [
                    try StateText.storable(campaign.name, CampaignRow.table), campaign.publication.rawValue,
                    try StateText.storable(campaign.app, CampaignRow.table), campaign.environment.rawValue,
                    campaign.edition?.rawValue, campaign.begun.timeIntervalSince1970, campaign.position,
                    Int64(campaign.sent), Int64(campaign.failed), Int64(campaign.gone),
                    campaign.finished?.timeIntervalSince1970,
                ])
            let row = try db.row("SELECT \(CampaignRow.columns) FROM push_campaign WHERE name = ?", [campaign.name])
            guard let row else { throw StateStoreError.unreadableRow(table: CampaignRow.table) }
            return try CampaignRow.campaign(row)
        }
    }

    /// Stores the progress of a campaign. The position never decreases: if two processes send one campaign, the
    /// further position wins. A finished campaign stays finished.
    public func save(_ campaign: PushCampaign) async throws {
        try await database.write(.statements) { db in
            try db.execute(
                """
                UPDATE push_campaign SET position = ?, sent = ?, failed = ?, gone = ?, finished = ?
                WHERE name = ? AND position <= ? AND finished IS NULL
                """,
                [
                    campaign.position, Int64(campaign.sent), Int64(campaign.failed), Int64(campaign.gone),
                    campaign.finished?.timeIntervalSince1970, campaign.name, campaign.position,
                ])
        }
    }

    public func campaigns(
        in publication: PublicationID, unfinished: Bool, limit: Int
    ) async throws -> [PushCampaign] {
        try await database.read { db in
            try self.readable(
                db,
                """
                SELECT \(CampaignRow.columns) FROM push_campaign
                WHERE publication = ? \(unfinished ? "AND finished IS NULL" : "")
                ORDER BY begun DESC, name LIMIT ?
                """, [publication.rawValue], limit: limit,
                for: "\(unfinished ? "unfinished" : "all") campaigns in \(publication)",
                name: { RowName.number($0, 0) },
                read: CampaignRow.campaign)
        }
    }
}

/// Rows of the table `push_campaign`.
private enum CampaignRow {
    static let table = "push_campaign"
    static let columns =
        "name, publication, app, environment, edition, begun, position, sent, failed, gone, finished"

    static func campaign(_ row: StateRow) throws -> PushCampaign {
        PushCampaign(
            name: try StateRow.text(row, 0, table), publication: try StateRow.name(row, 1, table) { PublicationID($0) },
            app: try StateRow.text(row, 2, table),
            environment: try StateRow.name(row, 3, table) { PushEnvironment(rawValue: $0) },
            edition: try StateRow.optional({ try StateRow.name($0, $1, $2) { EditionID($0) } }, row, 4, table),
            begun: try StateRow.date(row, 5, table), position: try StateRow.integer(row, 6, table),
            sent: try StateRow.count(row, 7, table), failed: try StateRow.count(row, 8, table),
            gone: try StateRow.count(row, 9, table), finished: try StateRow.optional(StateRow.date, row, 10, table))
    }
}
