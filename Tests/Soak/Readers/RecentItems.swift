import TestSupport

/// The items that an app keeps: the latest few, and occasionally one until it expires.
struct RecentItems<Item> {
    private static var maxOld: Int { 8 }

    private let maxLatest: Int
    private let share: Int
    private var latest: [Item] = []
    private var old: [Item] = []

    /// - Parameters:
    ///   - latest: The number of latest items.
    ///   - share: The reciprocal of the share of items that are kept for long.
    init(latest: Int, longLivedOneIn share: Int) {
        maxLatest = latest
        self.share = share
    }

    mutating func store(_ item: Item, using random: inout SeededRandom) {
        latest.append(item)
        if latest.count > maxLatest { latest.remove(at: Int.random(in: 0..<(maxLatest / 2), using: &random)) }
        guard Int.random(in: 0..<share, using: &random) == 0 else { return }
        if old.count == Self.maxOld { old.remove(at: Int.random(in: 0..<Self.maxOld, using: &random)) }
        old.append(item)
    }

    func draw(using random: inout SeededRandom) -> Item? {
        let isOld = !old.isEmpty && Int.random(in: 0..<5, using: &random) == 0
        return (isOld ? old : latest).randomElement(using: &random)
    }
}
