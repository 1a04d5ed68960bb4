public import Foundation
public import Gatefold

/// A book of accounts that forgets everything when the test ends.
public actor VolatileAccountBook: AccountBook {
    public struct Down: Error {}

    private var kept: [Account] = []
    private var lastNumber: Int64 = 0
    private var names: [[String]] = []
    /// Whether it can not be asked.
    private var isDown = false

    public init() {}

    public func breakDown() { isDown = true }
    public func recover() { isDown = false }

    private func ask() throws {
        if isDown { throw Down() }
    }

    public func account(of owner: PurchaseOwner, in publication: PublicationID) throws -> Account? {
        try ask()
        return kept.first { $0.owner == owner && $0.publication == publication }
    }

    public func openAccount(
        of owner: PurchaseOwner, in publication: PublicationID, uuid: String, details: AccountDetails, at moment: Date
    ) throws -> Account {
        if let known = try account(of: owner, in: publication) {
            var present = known.details
            present.identifier = details.identifier
            guard present != known.details else { return known }
            return try change(present, of: owner, in: publication, at: moment) ?? known
        }
        lastNumber += 1
        let account = Account(
            publication: publication, owner: owner, number: lastNumber, uuid: uuid, details: details, created: moment,
            updated: moment)
        kept.append(account)
        return account
    }

    public func change(
        _ details: AccountDetails, of owner: PurchaseOwner, in publication: PublicationID, at moment: Date
    ) throws -> Account? {
        try ask()
        guard let index = kept.firstIndex(where: { $0.owner == owner && $0.publication == publication }) else {
            return nil
        }
        let old = kept[index]
        kept[index] = Account(
            publication: publication, owner: owner, number: old.number, uuid: old.uuid, details: details,
            created: old.created, updated: moment)
        return kept[index]
    }

    public func eraseAccount(of owner: PurchaseOwner, in publication: PublicationID) throws -> Bool {
        let before = kept.count
        try ask()
        kept.removeAll { $0.owner == owner && $0.publication == publication }
        return kept.count < before
    }

    public func eraseAccounts(of owner: PurchaseOwner) throws -> Int {
        let before = kept.count
        try ask()
        kept.removeAll { $0.owner == owner }
        return before - kept.count
    }

    public func accounts(of owners: [PurchaseOwner], in publication: PublicationID) throws -> [Account] {
        try ask()
        return kept.filter { $0.publication == publication && owners.contains($0.owner) }
    }

    public func accounts(identifiedBy identifier: String, in publication: PublicationID) throws -> [Account] {
        try ask()
        let folded = CredentialFields.fold(identifier)
        return kept.filter { $0.publication == publication && CredentialFields.fold($0.details.identifier) == folded }
    }

    public func accounts(in publication: PublicationID, after number: Int64, limit: Int) throws -> [Account] {
        try ask()
        return Array(kept.filter { $0.publication == publication && $0.number > number }.prefix(max(0, limit)))
    }

    public func itemNumbers(of names: [String], in publication: PublicationID) throws -> [String: Int64] {
        try ask()
        for name in Set(names).sorted() where !self.names.contains([publication.rawValue, name]) {
            self.names.append([publication.rawValue, name])
        }
        return names.reduce(into: [:]) { all, name in
            all[name] = self.names.firstIndex(of: [publication.rawValue, name]).map {
                SoldItem.firstAssigned + Int64($0)
            }
        }
    }

    public func itemName(numbered number: Int64, in publication: PublicationID) throws -> String? {
        try ask()
        let index = Int(number - SoldItem.firstAssigned)
        guard names.indices.contains(index), names[index][0] == publication.rawValue else { return nil }
        return names[index][1]
    }
}
