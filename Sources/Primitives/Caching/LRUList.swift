/// A list of numbers in order of last use. Every operation takes constant time.
///
/// The numbers are the indices of the list's own slots: ``insert(in:)`` allocates a number and ``remove(_:)`` frees
/// it. Each number belongs to one of a few lanes, and each lane has its own order.
package struct LRUList: Sendable {
    private struct Link {
        var older: Int32
        var newer: Int32
        var segment: Int32
    }

    private struct Ends {
        var oldest = LRUList.none
        var newest = LRUList.none
    }

    private static let none: Int32 = -1

    private var links: [Link] = []
    private var free: [Int32] = []
    private var ends: [Ends]

    package init(segments: Int = 1) {
        ends = [Ends](repeating: Ends(), count: segments)
    }

    /// Returns the least recently used number of a lane, or `nil` if the lane is empty.
    package func oldest(in segment: Int = 0) -> Int? {
        ends[segment].oldest == Self.none ? nil : Int(ends[segment].oldest)
    }

    /// Allocates a number and makes it the most recently used one.
    package mutating func insert(in segment: Int = 0) -> Int {
        let index: Int32
        if let reused = free.popLast() {
            index = reused
            links[Int(index)].segment = Int32(segment)
        } else {
            index = Int32(links.count)
            links.append(Link(older: Self.none, newer: Self.none, segment: Int32(segment)))
        }
        append(index)
        return Int(index)
    }

    package mutating func use(_ number: Int) {
        guard Int32(number) != ends[Int(links[number].segment)].newest else { return }
        unlink(Int32(number))
        append(Int32(number))
    }

    package mutating func remove(_ number: Int) {
        unlink(Int32(number))
        free.append(Int32(number))
    }

    private mutating func append(_ index: Int32) {
        let segment = Int(links[Int(index)].segment)
        let newest = ends[segment].newest
        links[Int(index)].older = newest
        links[Int(index)].newer = Self.none
        if newest != Self.none { links[Int(newest)].newer = index } else { ends[segment].oldest = index }
        ends[segment].newest = index
    }

    private mutating func unlink(_ index: Int32) {
        let link = links[Int(index)]
        let segment = Int(link.segment)
        if link.older != Self.none {
            links[Int(link.older)].newer = link.newer
        } else {
            ends[segment].oldest = link.newer
        }
        if link.newer != Self.none {
            links[Int(link.newer)].older = link.older
        } else {
            ends[segment].newest = link.older
        }
    }
}
