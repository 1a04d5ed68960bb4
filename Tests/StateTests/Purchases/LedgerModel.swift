import Commerce
import Gatefold

/// A model of a ledger in a few sets: claims, links and refunds.
struct LedgerModel {
    struct Claim: Hashable {
        let owner: PurchaseOwner
        let purchase: Int
    }

    /// The maximum number of persons who may claim a purchase.
    let maxPersons: Int
    /// The maximum number of owners linked with a subscriber.
    let maxLinked: Int
    private(set) var claims: Set<Claim> = []
    private(set) var refunded: Set<Int> = []
    /// The links in order, with the latest one at the end.
    private var links: [(owner: PurchaseOwner, subscriber: PurchaseOwner)] = []
    private var waiting: [(owner: PurchaseOwner, purchases: [Int])] = []

    init(maxPersons: Int, maxLinked: Int) {
        self.maxPersons = maxPersons
        self.maxLinked = maxLinked
    }

    func person(of owner: PurchaseOwner) -> PurchaseOwner {
        links.first { $0.owner == owner }?.subscriber ?? owner
    }

    func persons(claiming purchase: Int) -> Set<PurchaseOwner> {
        Set(claims.filter { $0.purchase == purchase }.map { person(of: $0.owner) })
    }

    func opened(by owner: PurchaseOwner) -> Set<Int> {
        let all = Set(claims.filter { person(of: $0.owner) == person(of: owner) }.map(\.purchase))
        return all.subtracting(refunded)
    }

    /// - Parameter isFresh: Whether the store also reports refunds.
    mutating func confirm(_ purchases: [Int], by owner: PurchaseOwner, isFresh: Bool) -> ReceiptRejection.Reason? {
        if isFresh, refunded.isSuperset(of: purchases) { return .revoked }
        let person = person(of: owner)
        for purchase in purchases {
            let persons = persons(claiming: purchase)
            if !persons.contains(person), persons.count >= maxPersons { return .claimedByAnother }
        }
        for purchase in purchases where !persons(claiming: purchase).contains(person) {
            claims.insert(Claim(owner: owner, purchase: purchase))
        }
        return nil
    }

    mutating func wait(_ purchases: [Int], by owner: PurchaseOwner) { waiting.append((owner, purchases)) }

    /// Processes the waiting receipts after an outage.
    mutating func followUp() {
        for (owner, purchases) in waiting { _ = confirm(purchases, by: owner, isFresh: false) }
        waiting = []
    }

    mutating func refund(_ purchase: Int) { refunded.insert(purchase) }
    mutating func reverse(_ purchase: Int) { refunded.remove(purchase) }

    mutating func link(_ owner: PurchaseOwner, to subscriber: PurchaseOwner) {
        _ = unlink(owner)
        links.append((owner, subscriber))
        let all = links.filter { $0.subscriber == subscriber }
        for leaving in all.dropLast(maxLinked) { _ = unlink(leaving.owner) }
    }

    mutating func unlink(_ owner: PurchaseOwner) -> Bool {
        let count = links.count
        links.removeAll { $0.owner == owner }
        return links.count < count
    }

    mutating func erase(_ owner: PurchaseOwner) {
        claims = claims.filter { $0.owner != owner }
        links.removeAll { $0.owner == owner || $0.subscriber == owner }
        waiting.removeAll { $0.owner == owner }
    }
}
