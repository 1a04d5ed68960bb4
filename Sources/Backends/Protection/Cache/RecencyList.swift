/// Numbers in the order in which they were last used; every operation takes the same time however many there are.
///
/// The numbers are the indices of its own slots: ``insert(in:)`` hands one out, ``remove(_:)`` takes it back. Each is in one
/// of a few lanes, which have orders of their own.
struct RecencyList: Sendable {
    private struct Link {
        var older: Int32
        var newer: Int32
        var lane: Int32
    }

    private struct Ends {
        var oldest = RecencyList.none
        var newest = RecencyList.none
    }

    private static let none: Int32 = -1

    private var links: [Link] = []
    private var free: [Int32] = []
    private var ends: [Ends]

    init(lanes: Int = 1) {
        ends = [Ends](repeating: Ends(), count: lanes)
    }

    /// The one of a lane that was not used for longest; nil when there is none.
    func oldest(in lane: Int = 0) -> Int? { ends[lane].oldest == Self.none ? nil : Int(ends[lane].oldest) }

    /// A new number, used just now.
    mutating func insert(in lane: Int = 0) -> Int {
        let index: Int32
        if let reused = free.popLast() {
            index = reused
            links[Int(index)].lane = Int32(lane)
        } else {
            index = Int32(links.count)
            links.append(Link(older: Self.none, newer: Self.none, lane: Int32(lane)))
        }
        append(index)
        return Int(index)
    }

    mutating func use(_ number: Int) {
        guard Int32(number) != ends[Int(links[number].lane)].newest else { return }
        unlink(Int32(number))
        append(Int32(number))
    }

    mutating func remove(_ number: Int) {
        unlink(Int32(number))
        free.append(Int32(number))
    }

    private mutating func append(_ index: Int32) {
        let lane = Int(links[Int(index)].lane)
        let newest = ends[lane].newest
        links[Int(index)].older = newest
        links[Int(index)].newer = Self.none
        if newest != Self.none { links[Int(newest)].newer = index } else { ends[lane].oldest = index }
        ends[lane].newest = index
    }

    private mutating func unlink(_ index: Int32) {
        let link = links[Int(index)]
        let lane = Int(link.lane)
        if link.older != Self.none { links[Int(link.older)].newer = link.newer } else { ends[lane].oldest = link.newer }
        if link.newer != Self.none { links[Int(link.newer)].older = link.older } else { ends[lane].newest = link.older }
    }
}
