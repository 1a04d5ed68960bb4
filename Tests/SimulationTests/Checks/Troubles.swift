import Foundation

/// The times at which something was away. The bounds of the invariants count from their ends.
final class Troubles: Sendable {
    private struct Trouble {
        /// The affected node; nil for all of them.
        let node: Int?
        let start: TimeInterval
        var end: TimeInterval
        /// Whether only commits are slow. Nodes read what is committed as fast as ever.
        let isSlowness: Bool

        func affects(_ node: Int?) -> Bool { self.node == nil || node == nil || self.node == node }
    }

    nonisolated(unsafe) private var all: [Trouble] = []

    /// - Parameter node: The affected node; nil for all of them.
    func add(node: Int?, from start: TimeInterval, to end: TimeInterval, isSlowness: Bool = false) {
        all.append(Trouble(node: node, start: start, end: end, isSlowness: isSlowness))
    }

    /// Ends all troubles of a node that were to last until it serves again.
    func end(at time: TimeInterval, ofNode node: Int) {
        for index in all.indices where all[index].node == node && all[index].end == .infinity { all[index].end = time }
    }

    /// Returns the end of the last trouble that started before a time.
    ///
    /// - Parameters:
    ///   - node: The node; nil for any node.
    ///   - counts: Whether slow commits count as trouble.
    func calmSince(
        _ time: TimeInterval, node: Int?, slownessCounts counts: Bool = false
    ) -> TimeInterval {
        all.filter { $0.start <= time && $0.affects(node) && (counts || !$0.isSlowness) }.map(\.end).max() ?? 0
    }

    /// Returns whether there was no trouble in a period.
    func isCalm(
        from start: TimeInterval, to end: TimeInterval, node: Int?, slownessCounts counts: Bool = false
    ) -> Bool {
        !all.contains { $0.start <= end && $0.end >= start && $0.affects(node) && (counts || !$0.isSlowness) }
    }
}
