public import Foundation
import GRDB
public import Gatefold

extension SQLiteStateStore {
    public func link(
        _ owner: PurchaseOwner, to subscriber: PurchaseOwner, reference: SubscriberReference,
        in publication: PublicationID, sealed: SealedSubscriber, most: Int, at moment: Date
    ) async throws {
        // A subscriber is itself without a link.
        guard owner != subscriber else { return }
        try await pool.write { db in
            try db.execute(
                sql: """
                    INSERT INTO owner_link (owner, subscriber, publication, reference, sealed, linked)
                    VALUES (?, ?, ?, ?, ?, ?)
                    ON CONFLICT (owner) DO UPDATE SET
                        subscriber = excluded.subscriber, publication = excluded.publication,
                        reference = excluded.reference, sealed = excluded.sealed, linked = excluded.linked
                    """,
                arguments: [
                    Data(owner.bytes), Data(subscriber.bytes), publication.rawValue, Data(reference.bytes),
                    Data(sealed.bytes), moment.timeIntervalSince1970,
                ])
            // The one just linked stays, whatever the clock says.
            let others = try Data.fetchAll(
                db,
                sql: """
                    SELECT owner FROM owner_link WHERE subscriber = ? AND owner <> ? ORDER BY linked DESC, owner
                    """,
                arguments: [Data(subscriber.bytes), Data(owner.bytes)])
            for leaving in others.dropFirst(max(0, most - 1)) {
                try db.execute(sql: "DELETE FROM owner_link WHERE owner = ?", arguments: [leaving])
            }
        }
    }

    public func subscriber(linkedWith owner: PurchaseOwner) async throws -> SealedSubscriber? {
        try await pool.read { db in
            try Row.fetchOne(
                try db.cachedStatement(sql: "SELECT sealed FROM owner_link WHERE owner = ?"),
                arguments: [Data(owner.bytes)]
            ).map { SealedSubscriber(bytes: Array(try StateRow.bytes($0, 0, "owner_link"))) }
        }
    }

    public func person(of owner: PurchaseOwner) async throws -> [PurchaseOwner] {
        try await pool.read { db in
            let person = try PersonRow.person(db, of: owner)
            let members = try Row.fetchAll(
                try db.cachedStatement(sql: PersonRow.members), arguments: [person, person]
            ).compactMap { try OwnerColumn.read($0, 0, "owner_link") }
            return [owner] + members.filter { $0 != owner }
        }
    }

    public func unlink(_ owner: PurchaseOwner) async throws -> Bool {
        try await pool.write { db in
            try db.execute(sql: "DELETE FROM owner_link WHERE owner = ?", arguments: [Data(owner.bytes)])
            return db.changesCount > 0
        }
    }
}
