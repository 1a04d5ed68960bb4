import Foundation

extension PurchaseDesk {
    /// What the owner's purchases open at this moment; a subscription that has just ended is looked at first.
    ///
    /// - Throws: ``Unavailable`` when the ledger could not be asked. A store that can not be asked throws nothing: then the
    ///   last word counts.
    public func holdings(of owner: PurchaseOwner, in catalogue: Catalogue) async throws -> Holdings {
        await recheckEnded(of: owner)
        return holdings(from: try await transactions(of: owner), in: catalogue)
    }

    /// The owner's transactions that count here.
    public func transactions(of owner: PurchaseOwner) async throws -> [StoreTransaction] {
        counting(try await keep { try await ledger.transactions(of: owner, in: stores) })
    }

    public func holdings(from transactions: [StoreTransaction], in catalogue: Catalogue) -> Holdings {
        products.holdings(from: counting(transactions), in: catalogue, at: clock.now)
    }

    /// So many installations and accounts may be linked with one subscriber.
    static let mostLinked = 10

    /// Makes an installation or an account the same person as a subscriber.
    ///
    /// - Throws: ``Unavailable``.
    func link(_ owner: PurchaseOwner, with subscriber: Subscriber, references: ReferenceKey) async throws {
        try await keep {
            try await ledger.link(
                owner, to: references.owner(subscriber), reference: references.reference(to: subscriber),
                in: publication, sealed: try references.seal(subscriber), most: Self.mostLinked, at: clock.now)
        }
    }

    func subscriber(linkedWith owner: PurchaseOwner, references: ReferenceKey) async throws -> Subscriber? {
        try await keep { try await ledger.subscriber(linkedWith: owner) }.flatMap { references.open($0) }
    }

    /// - Returns: false when it was linked with nobody.
    public func unlink(_ owner: PurchaseOwner) async throws -> Bool {
        try await keep { try await ledger.unlink(owner) }
    }

    /// Forgets an owner, see ``PurchaseLedger/erase(_:)``.
    ///
    /// - Throws: ``Unavailable``.
    func erase(_ owner: PurchaseOwner) async throws {
        _ = try await keep { try await ledger.erase(owner) }
    }

    /// Everybody who has a purchase: those who claimed it, and those who are one person with them.
    ///
    /// - Throws: ``Unavailable``.
    public func holders(of transaction: StoreTransaction) async throws -> [PurchaseOwner] {
        try await keep { try await ledger.holders(of: transaction.original, in: transaction.store) }
    }

    /// Everybody who is one person with an owner, itself included.
    ///
    /// - Throws: ``Unavailable``.
    public func person(of owner: PurchaseOwner) async throws -> [PurchaseOwner] {
        try await keep { try await ledger.person(of: owner) }
    }
}
