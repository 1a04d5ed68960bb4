import TestSupport

/// What an app keeps: the latest few, and now and then one for so long that it ends in the app's hands.
struct Drawer<Item> {
    private static var mostOld: Int { 8 }

    private let mostLatest: Int
    private let share: Int
    private var latest: [Item] = []
    private var old: [Item] = []

    /// - Parameters:
    ///   - latest: so many of these are kept.
    ///   - share: one in so many is kept for long.
    init(latest: Int, oldOneIn share: Int) {
        mostLatest = latest
        self.share = share
    }

    mutating func keep(_ item: Item, using random: inout SeededRandom) {
        latest.append(item)
        if latest.count > mostLatest { latest.remove(at: Int.random(in: 0..<(mostLatest / 2), using: &random)) }
        guard Int.random(in: 0..<share, using: &random) == 0 else { return }
        if old.count == Self.mostOld { old.remove(at: Int.random(in: 0..<Self.mostOld, using: &random)) }
        old.append(item)
    }

    func draw(using random: inout SeededRandom) -> Item? {
        let isOld = !old.isEmpty && Int.random(in: 0..<5, using: &random) == 0
        return (isOld ? old : latest).randomElement(using: &random)
    }
}
