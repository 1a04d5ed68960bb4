import Foundation
public import Gatefold
import Primitives

extension PurchaseService {
    /// Returns the current holdings of the owner. A subscription that has just ended is reverified first.
    ///
    /// While the ledger is unavailable, the purchases that it last reported count.
    ///
    /// - Throws: `Unavailable` if the ledger was unavailable and this node knows nothing of the owner. An unavailable store
    ///   throws no error, because the last recorded result then counts.
    public func holdings(of owner: PurchaseOwner, in catalogue: Catalogue) async throws -> Holdings {
        do {
            var transactions = try await transactions(of: owner)
            if hasEndedSubscription(transactions), await reverifyEnded(of: owner) {
                transactions = try await self.transactions(of: owner)
            }
            lastKnown.record(transactions, of: owner)
            return holdings(from: transactions, in: catalogue)
        } catch let failure as Unavailable {
            guard let known = lastKnown.transactions(of: owner) else { throw failure }
            return holdings(from: known, in: catalogue)
        }
    }

    /// Returns whether the last period of a subscription is over, so that a renewal may be unknown.
    private func hasEndedSubscription(_ transactions: [StoreTransaction]) -> Bool {
        let now = clock.now
        return transactions.contains { ended in
            guard let end = ended.ends, end <= now else { return false }
            return !transactions.contains { later in
                later.store == ended.store && later.original == ended.original && (later.ends ?? end) > end
            }
        }
    }

    /// Returns the owner's transactions that count here.
    ///
    /// - Throws: `Unavailable` if the ledger was unavailable.
    public func transactions(of owner: PurchaseOwner) async throws -> [StoreTransaction] {
        filteredByEnvironment(try await persist { try await ledger.transactions(of: owner, in: stores) })
    }

    /// Returns the owner's transactions that count here and are of a product of the publication.
    ///
    /// The purchases of an owner in one store may belong to several publications. An operator of one must not see those of
    /// another.
    ///
    /// - Throws: `Unavailable` if the ledger was unavailable.
    package func ownTransactions(of owner: PurchaseOwner, in catalogue: Catalogue) async throws -> [StoreTransaction] {
        try await transactions(of: owner).filter { products.includes($0.product, in: catalogue) }
    }

    /// Returns the owners of the purchase with a transaction, or with an order that a store names like one.
    ///
    /// A transaction of a product of another publication has none here, as in ``ownTransactions(of:in:)``.
    ///
    /// - Throws: `Unavailable` if the ledger was unavailable.
    package func owners(ofTransaction id: String, in catalogue: Catalogue) async throws -> [PurchaseOwner] {
        var owners: [PurchaseOwner] = []
        for store in stores.sorted() {
            guard let transaction = try await persist({ try await ledger.transaction(id, in: store) }),
                environments.contains(transaction.environment), products.includes(transaction.product, in: catalogue)
            else { continue }
            owners += try await self.owners(of: transaction)
        }
        return owners
    }

    public func holdings(from transactions: [StoreTransaction], in catalogue: Catalogue) -> Holdings {
        products.holdings(from: filteredByEnvironment(transactions), in: catalogue, at: clock.now)
    }

    /// The maximum number of installations and accounts that may be linked with one subscriber.
    static let maxLinked = 10

    /// Links an installation or an account with a subscriber, so that both are the same person.
    ///
    /// - Throws: `Unavailable`.
    func link(_ owner: PurchaseOwner, with subscriber: Subscriber, pseudonymKey: PseudonymKey) async throws {
        try await persist {
            try await ledger.link(
                owner, to: pseudonymKey.owner(subscriber), reference: pseudonymKey.reference(to: subscriber),
                in: publication, sealed: try pseudonymKey.seal(subscriber), limit: Self.maxLinked, at: clock.now)
        }
    }

    public func subscriber(linkedWith owner: PurchaseOwner, pseudonymKey: PseudonymKey) async throws -> Subscriber? {
        try await persist { try await ledger.subscriber(linkedWith: owner) }.flatMap { pseudonymKey.open($0) }
    }

    /// Removes the link of an owner.
    ///
    /// - Returns: False if the owner was not linked.
    public func unlink(_ owner: PurchaseOwner) async throws -> Bool {
        try await persist { try await ledger.unlink(owner) }
    }

    /// Erases an owner; see ``PurchaseLedger/erase(_:)``.
    ///
    /// - Throws: `Unavailable`.
    @discardableResult
    public func erase(_ owner: PurchaseOwner) async throws -> Int {
        let count = try await persist { try await ledger.erase(owner) }
        lastKnown.record([], of: owner)
        return count
    }

    /// Returns all owners of a purchase: those who claimed it, and those who are the same person.
    ///
    /// - Throws: `Unavailable`.
    public func owners(of transaction: StoreTransaction) async throws -> [PurchaseOwner] {
        try await persist { try await ledger.owners(of: transaction.original, in: transaction.store) }
    }

    /// Returns all owners that are the same person as an owner, including the owner.
    ///
    /// - Throws: `Unavailable`.
    public func person(of owner: PurchaseOwner) async throws -> [PurchaseOwner] {
        try await persist { try await ledger.person(of: owner) }
    }
}
