public import Accounts
public import Foundation
public import Gatefold

extension SQLStateStore {
    public func account(of owner: PurchaseOwner, in publication: PublicationID) async throws -> Account? {
        try await database.read { db in try AccountRow.find(db, owner, in: publication) }
    }

    public func openAccount(
        of owner: PurchaseOwner, in publication: PublicationID, uuid: String, details: AccountDetails,
        at timestamp: Date
    ) async throws -> Account {
        // The read takes no write lock. In nearly all cases the account exists and is up to date.
        if let known = try await account(of: owner, in: publication),
            known.details.identifier.utf8.elementsEqual(details.identifier.utf8)
        {
            return known
        }
        // No other process can create the account between the read and the write.
        return try await database.write(.locked(StateLock(accountOf: owner, in: publication))) { db in
            if let known = try AccountRow.find(db, owner, in: publication) {
                var present = known.details
                guard !present.identifier.utf8.elementsEqual(details.identifier.utf8) else { return known }
                present.identifier = details.identifier
                _ = try AccountRow.update(db, owner, in: publication, details: present, at: timestamp)
            } else {
                try AccountRow.insert(db, owner, in: publication, uuid: uuid, details: details, at: timestamp)
            }
            return try Self.present(AccountRow.find(db, owner, in: publication))
        }
    }

    public func change(
        _ details: AccountDetails, of owner: PurchaseOwner, in publication: PublicationID, at timestamp: Date
    ) async throws -> Account? {
        try await database.write(.locked(StateLock(accountOf: owner, in: publication))) { db in
            guard try AccountRow.update(db, owner, in: publication, details: details, at: timestamp) else { return nil }
            return try AccountRow.find(db, owner, in: publication)
        }
    }

    public func eraseAccount(of owner: PurchaseOwner, in publication: PublicationID) async throws -> Bool {
        try await database.write(.statements) { db in
            return try db.execute(
                "DELETE FROM account WHERE publication = ? AND owner = ?", [publication.rawValue, Data(owner.bytes)])
                > 0
        }
    }

    public func eraseAccounts(of owner: PurchaseOwner) async throws -> Int {
        try await database.write(.statements) { db in
            try db.execute("DELETE FROM mail WHERE owner = ?", [Data(owner.bytes)])
            return try db.execute("DELETE FROM account WHERE owner = ?", [Data(owner.bytes)])
        }
    }

    public func accounts(of owners: [PurchaseOwner], in publication: PublicationID) async throws -> [Account] {
        guard !owners.isEmpty else { return [] }
        return try await database.read { db in
            // One query per owner: a purchase has few owners, and no number of owners is too large for one
            // statement.
            try Set(owners).flatMap { owner in
                try self.readable(
                    db, "SELECT \(AccountRow.columns) FROM account WHERE publication = ? AND owner = ? LIMIT ?",
                    [publication.rawValue, Data(owner.bytes)], limit: 1,
                    for: "account of \(owner.bytes) in \(publication)", name: { RowName.number($0, 0) },
                    read: AccountRow.account)
            }
        }.sorted { $0.number < $1.number }
    }

    public func accounts(identifiedBy identifier: String, in publication: PublicationID) async throws -> [Account] {
        let folded = CredentialFields.fold(identifier)
        return try await database.read { db in
            try db.rows(
                """
                SELECT \(AccountRow.columns) FROM account WHERE publication = ? AND normalized = ? ORDER BY number
                """, [publication.rawValue, folded]
            ).map(AccountRow.account)
        }
    }

    public func accounts(in publication: PublicationID, after number: Int64, limit: Int) async throws -> [Account] {
        try await database.read { db in
            try db.rows(
                """
                SELECT \(AccountRow.columns) FROM account WHERE publication = ? AND number > ?
                ORDER BY number LIMIT ?
                """, [publication.rawValue, number, max(0, limit)]
            ).map(AccountRow.account)
        }
    }

    private static func present(_ account: Account?) throws -> Account {
        guard let account else { throw StateStoreError.unreadableRow(table: AccountRow.table) }
        return account
    }
}

extension StateLock {
    fileprivate init(accountOf owner: PurchaseOwner, in publication: PublicationID) {
        self.init("account", Data(publication.rawValue.utf8), Data(owner.bytes))
    }
}
