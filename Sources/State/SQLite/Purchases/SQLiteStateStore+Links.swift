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
            let former = try PersonRow.person(db, of: owner)
            if former != Data(subscriber.bytes) { try PersonRow.forgetUnclaimedReceipts(db, former) }
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
            let excess = others.dropFirst(max(0, most - 1))
            if !excess.isEmpty { try PersonRow.forgetUnclaimedReceipts(db, Data(subscriber.bytes)) }
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

    public func holders(of original: String, in store: StoreName) async throws -> [PurchaseOwner] {
        try await pool.read { db in
            let rows = try Row.fetchAll(
                try db.cachedStatement(sql: PersonRow.holders),
                arguments: [store.rawValue, try StateText.storable(original, "claim")])
            let reference = Delivery.ID(store: store, transaction: original).reference
            // Whoever cannot be read cannot be told; the others can.
            var holders: [PurchaseOwner] = []
            var passedOver: [String: Set<String>] = [:]
            for row in rows {
                do {
                    if let owner = try OwnerColumn.read(row, 0, "claim") { holders.append(owner) }
                } catch let error as StateStoreError {
                    passedOver[error.table, default: []].insert(reference)
                }
            }
            unreadable.note(passedOver, for: "holders of \(reference)")
            return holders
        }
    }

    public func unlink(_ owner: PurchaseOwner) async throws -> Bool {
        try await pool.write { db in
            try PersonRow.forgetUnclaimedReceipts(db, PersonRow.person(db, of: owner))
            try db.execute(sql: "DELETE FROM owner_link WHERE owner = ?", arguments: [Data(owner.bytes)])
            return db.changesCount > 0
        }
    }

    /// Ends the links that tokens of a publication made with a subscriber.
    static func endLinks(_ db: Database, with reference: SubscriberReference, in publication: PublicationID) throws {
        let links: StatementArguments = [publication.rawValue, Data(reference.bytes)]
        let persons = try Data.fetchAll(
            db, sql: "SELECT DISTINCT subscriber FROM owner_link WHERE publication = ? AND reference = ?",
            arguments: links)
        for person in persons { try PersonRow.forgetUnclaimedReceipts(db, person) }
        try db.execute(sql: "DELETE FROM owner_link WHERE publication = ? AND reference = ?", arguments: links)
    }
}
