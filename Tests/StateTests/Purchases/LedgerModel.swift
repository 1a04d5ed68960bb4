import Gatefold

/// What a ledger has to amount to, in a few sets: who claimed what, who is whom, and what was taken back.
struct LedgerModel {
    struct Claim: Hashable {
        let owner: PurchaseOwner
        let purchase: Int
    }

    /// So many persons may claim a purchase.
    let mostPersons: Int
    /// So many owners may be linked with a subscriber.
    let mostLinked: Int
    private(set) var claims: Set<Claim> = []
    private(set) var refunded: Set<Int> = []
    /// The one linked last at the end.
    private var links: [(owner: PurchaseOwner, subscriber: PurchaseOwner)] = []
    private var waiting: [(owner: PurchaseOwner, purchases: [Int])] = []

    init(mostPersons: Int, mostLinked: Int) {
        self.mostPersons = mostPersons
        self.mostLinked = mostLinked
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

    /// - Parameter isFresh: whether the store tells of refunds, too.
    mutating func confirm(_ purchases: [Int], by owner: PurchaseOwner, isFresh: Bool) -> ReceiptRefusal.Reason? {
        if isFresh, refunded.isSuperset(of: purchases) { return .revoked }
        let person = person(of: owner)
        for purchase in purchases {
            let persons = persons(claiming: purchase)
            if !persons.contains(person), persons.count >= mostPersons { return .claimedByAnother }
        }
        for purchase in purchases where !persons(claiming: purchase).contains(person) {
            claims.insert(Claim(owner: owner, purchase: purchase))
        }
        return nil
    }

    mutating func wait(_ purchases: [Int], by owner: PurchaseOwner) { waiting.append((owner, purchases)) }

    /// The store answers again.
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
        for leaving in all.dropLast(mostLinked) { _ = unlink(leaving.owner) }
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
