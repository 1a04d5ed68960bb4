public import Accounts
public import Foundation
public import Gatefold

/// An in-memory store of accounts and item numbers.
public actor InMemoryAccountStore: AccountStore, ItemNumberStore {
    public struct UnavailableError: Error {}

    private var records: [Account] = []
    private var lastNumber: Int64 = 0
    private var names: [[String]] = []
    /// Whether the store is unavailable.
    private var isDown = false

    public init() {}

    public func startOutage() { isDown = true }
    public func recover() { isDown = false }

    private func perform() throws {
        if isDown { throw UnavailableError() }
    }

    public func account(of owner: PurchaseOwner, in publication: PublicationID) throws -> Account? {
        try perform()
        return records.first { $0.owner == owner && $0.publication == publication }
    }

    public func openAccount(
        of owner: PurchaseOwner, in publication: PublicationID, uuid: String, details: AccountDetails,
        at timestamp: Date
    ) throws -> Account {
        if let known = try account(of: owner, in: publication) {
            var present = known.details
            present.identifier = details.identifier
            guard present != known.details else { return known }
            return try change(present, of: owner, in: publication, at: timestamp) ?? known
        }
        lastNumber += 1
        let account = Account(
            publication: publication, owner: owner, number: lastNumber, uuid: uuid, details: details,
            created: timestamp,
            updated: timestamp)
        records.append(account)
        return account
    }

    public func change(
        _ details: AccountDetails, of owner: PurchaseOwner, in publication: PublicationID, at timestamp: Date
    ) throws -> Account? {
        try perform()
        guard let index = records.firstIndex(where: { $0.owner == owner && $0.publication == publication }) else {
            return nil
        }
        let old = records[index]
        records[index] = Account(
            publication: publication, owner: owner, number: old.number, uuid: old.uuid, details: details,
            created: old.created, updated: timestamp)
        return records[index]
    }

    public func eraseAccount(of owner: PurchaseOwner, in publication: PublicationID) throws -> Bool {
        let before = records.count
        try perform()
        records.removeAll { $0.owner == owner && $0.publication == publication }
        return records.count < before
    }

    public func eraseAccounts(of owner: PurchaseOwner) throws -> Int {
        let before = records.count
        try perform()
        records.removeAll { $0.owner == owner }
        return before - records.count
    }

    public func accounts(of owners: [PurchaseOwner], in publication: PublicationID) throws -> [Account] {
        try perform()
        return records.filter { $0.publication == publication && owners.contains($0.owner) }
    }

    public func accounts(identifiedBy identifier: String, in publication: PublicationID) throws -> [Account] {
        try perform()
        let folded = CredentialFields.fold(identifier)
        return records.filter {
            $0.publication == publication && CredentialFields.fold($0.details.identifier) == folded
        }
    }

    public func accounts(in publication: PublicationID, after number: Int64, limit: Int) throws -> [Account] {
        try perform()
        return Array(records.filter { $0.publication == publication && $0.number > number }.prefix(max(0, limit)))
    }

    public func itemNumbers(of names: [String], in publication: PublicationID) throws -> [String: Int64] {
        try perform()
        for name in Set(names).sorted() where !self.names.contains([publication.rawValue, name]) {
            self.names.append([publication.rawValue, name])
        }
        return names.reduce(into: [:]) { all, name in
            all[name] = self.names.firstIndex(of: [publication.rawValue, name]).map {
                SaleItem.firstAssigned + Int64($0)
            }
        }
    }

    public func itemName(numbered number: Int64, in publication: PublicationID) throws -> String? {
        try perform()
        let index = Int(number - SaleItem.firstAssigned)
        guard names.indices.contains(index), names[index][0] == publication.rawValue else { return nil }
        return names[index][1]
    }
}
