public import Commerce
public import Foundation
import GRDB
public import Gatefold

extension SQLiteStateStore {
    public func link(
        _ owner: PurchaseOwner, to subscriber: PurchaseOwner, reference: SubscriberPseudonym,
        in publication: PublicationID, sealed: SealedSubscriber, limit: Int, at timestamp: Date
    ) async throws {
        // A subscriber represents itself and needs no link.
        guard owner != subscriber else { return }
        try await pool.write { db in
            let former = try PersonRow.person(db, of: owner)
            if former != Data(subscriber.bytes) { try PersonRow.deleteUnclaimedReceipts(db, former) }
            try db.execute(
                sql: """
                    INSERT INTO owner_link (owner, subscriber, publication, pseudonym, sealed, linked)
                    VALUES (?, ?, ?, ?, ?, ?)
                    ON CONFLICT (owner) DO UPDATE SET
                        subscriber = excluded.subscriber, publication = excluded.publication,
                        pseudonym = excluded.pseudonym, sealed = excluded.sealed, linked = excluded.linked
                    """,
                arguments: [
                    Data(owner.bytes), Data(subscriber.bytes), publication.rawValue, Data(reference.bytes),
                    Data(sealed.bytes), timestamp.timeIntervalSince1970,
                ])
            // The owner that was just linked stays linked, regardless of the clock.
            let others = try Data.fetchAll(
                db,
                sql: """
                    SELECT owner FROM owner_link WHERE subscriber = ? AND owner <> ? ORDER BY linked DESC, owner
                    """,
                arguments: [Data(subscriber.bytes), Data(owner.bytes)])
            let excess = others.dropFirst(max(0, limit - 1))
            if !excess.isEmpty { try PersonRow.deleteUnclaimedReceipts(db, Data(subscriber.bytes)) }
            for leaving in excess {
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

    public func owners(of original: String, in store: StoreName) async throws -> [PurchaseOwner] {
        try await pool.read { db in
            let rows = try Row.fetchAll(
                try db.cachedStatement(sql: PersonRow.owners),
                arguments: [store.rawValue, try StateText.storable(original, "claim")])
            let reference = Delivery.ID(store: store, transaction: original).reference
            // An unreadable owner cannot be notified, but the other owners can.
            var owners: [PurchaseOwner] = []
            var skipped: [String: Set<String>] = [:]
            for row in rows {
                do {
                    if let owner = try OwnerColumn.read(row, 0, "claim") { owners.append(owner) }
                } catch let error as StateStoreError {
                    skipped[error.table, default: []].insert(reference)
                }
            }
            unreadable.record(skipped, for: "holders of \(reference)")
            return owners
        }
    }

    public func unlink(_ owner: PurchaseOwner) async throws -> Bool {
        try await pool.write { db in
            try PersonRow.deleteUnclaimedReceipts(db, PersonRow.person(db, of: owner))
            try db.execute(sql: "DELETE FROM owner_link WHERE owner = ?", arguments: [Data(owner.bytes)])
            return db.changesCount > 0
        }
    }

    /// Ends the links with a subscriber that tokens of a publication created.
    static func deleteLinks(_ db: Database, with reference: SubscriberPseudonym, in publication: PublicationID) throws {
        let links: StatementArguments = [publication.rawValue, Data(reference.bytes)]
        let persons = try Data.fetchAll(
            db, sql: "SELECT DISTINCT subscriber FROM owner_link WHERE publication = ? AND pseudonym = ?",
            arguments: links)
        for person in persons { try PersonRow.deleteUnclaimedReceipts(db, person) }
        try db.execute(sql: "DELETE FROM owner_link WHERE publication = ? AND pseudonym = ?", arguments: links)
    }
}
