public import Commerce
public import Foundation
public import Gatefold

extension SQLStateStore {
    public func link(
        _ owner: PurchaseOwner, to subscriber: PurchaseOwner, reference: SubscriberPseudonym,
        in publication: PublicationID, sealed: SealedSubscriber, limit: Int, at timestamp: Date
    ) async throws {
        // A subscriber represents itself and needs no link.
        guard owner != subscriber else { return }
        try await database.write { db in
            let former = try PersonRow.person(db, of: owner)
            if former != Data(subscriber.bytes) { try PersonRow.deleteUnclaimedReceipts(db, former) }
            try db.execute(
                """
                INSERT INTO owner_link (owner, subscriber, publication, pseudonym, sealed, linked)
                VALUES (?, ?, ?, ?, ?, ?)
                ON CONFLICT (owner) DO UPDATE SET
                    subscriber = excluded.subscriber, publication = excluded.publication,
                    pseudonym = excluded.pseudonym, sealed = excluded.sealed, linked = excluded.linked
                """,
                [
                    Data(owner.bytes), Data(subscriber.bytes), publication.rawValue, Data(reference.bytes),
                    Data(sealed.bytes), timestamp.timeIntervalSince1970,
                ])
            // The owner that was just linked stays linked, regardless of the clock.
            let others = try db.allBytes(
                """
                SELECT owner FROM owner_link WHERE subscriber = ? AND owner <> ? ORDER BY linked DESC, owner
                """, [Data(subscriber.bytes), Data(owner.bytes)])
            let excess = others.dropFirst(max(0, limit - 1))
            if !excess.isEmpty { try PersonRow.deleteUnclaimedReceipts(db, Data(subscriber.bytes)) }
            for leaving in excess {
                try db.execute("DELETE FROM owner_link WHERE owner = ?", [leaving])
            }
        }
    }

    public func subscriber(linkedWith owner: PurchaseOwner) async throws -> SealedSubscriber? {
        try await database.read { db in
            try db.row("SELECT sealed FROM owner_link WHERE owner = ?", [Data(owner.bytes)]).map {
                SealedSubscriber(bytes: Array(try StateRow.bytes($0, 0, "owner_link")))
            }
        }
    }

    public func person(of owner: PurchaseOwner) async throws -> [PurchaseOwner] {
        try await database.read { db in
            let person = try PersonRow.person(db, of: owner)
            let members = try db.rows(PersonRow.members, [person, person]).compactMap {
                try OwnerColumn.read($0, 0, "owner_link")
            }
            return [owner] + members.filter { $0 != owner }
        }
    }

    public func owners(of original: String, in store: StoreName) async throws -> [PurchaseOwner] {
        try await database.read { db in
            let rows = try db.rows(PersonRow.owners(db), [store.rawValue, try StateText.storable(original, "claim")])
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
            self.unreadable.record(skipped, for: "holders of \(reference)")
            return owners
        }
    }

    public func unlink(_ owner: PurchaseOwner) async throws -> Bool {
        try await database.write { db in
            try PersonRow.deleteUnclaimedReceipts(db, PersonRow.person(db, of: owner))
            return try db.execute("DELETE FROM owner_link WHERE owner = ?", [Data(owner.bytes)]) > 0
        }
    }

    /// Ends the links with a subscriber that tokens of a publication created before a time.
    static func deleteLinks(
        _ db: any StateTransaction, with reference: SubscriberPseudonym, in publication: PublicationID,
        before timestamp: Date
    ) throws {
        let links: StateArguments = [
            publication.rawValue, Data(reference.bytes), timestamp.timeIntervalSince1970,
        ]
        let ended = "FROM owner_link WHERE publication = ? AND pseudonym = ? AND linked < ?"
        for person in try db.allBytes("SELECT DISTINCT subscriber \(ended)", links) {
            try PersonRow.deleteUnclaimedReceipts(db, person)
        }
        try db.execute("DELETE \(ended)", links)
    }
}
