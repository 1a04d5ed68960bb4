/// Numbers in the order in which they were last used; every operation takes the same time however many there are.
///
/// The numbers are the indices of its own slots: ``insert()`` hands one out, ``remove(_:)`` takes it back.
struct RecencyList: Sendable {
    private struct Link {
        var older: Int32
        var newer: Int32
    }

    private static let none: Int32 = -1

    private var links: [Link] = []
    private var free: [Int32] = []
    private var oldestIndex = Self.none
    private var newestIndex = Self.none

    /// The one that was not used for longest; nil when there is none.
    var oldest: Int? { oldestIndex == Self.none ? nil : Int(oldestIndex) }

    /// A new number, used just now.
    mutating func insert() -> Int {
        let index: Int32
        if let reused = free.popLast() {
            index = reused
        } else {
            index = Int32(links.count)
            links.append(Link(older: Self.none, newer: Self.none))
        }
        append(index)
        return Int(index)
    }

    mutating func use(_ number: Int) {
        guard Int32(number) != newestIndex else { return }
        unlink(Int32(number))
        append(Int32(number))
    }

    mutating func remove(_ number: Int) {
        unlink(Int32(number))
        free.append(Int32(number))
    }

    private mutating func append(_ index: Int32) {
        links[Int(index)] = Link(older: newestIndex, newer: Self.none)
        if newestIndex != Self.none { links[Int(newestIndex)].newer = index } else { oldestIndex = index }
        newestIndex = index
    }

    private mutating func unlink(_ index: Int32) {
        let link = links[Int(index)]
        if link.older != Self.none { links[Int(link.older)].newer = link.newer } else { oldestIndex = link.newer }
        if link.newer != Self.none { links[Int(link.newer)].older = link.older } else { newestIndex = link.older }
    }
}
