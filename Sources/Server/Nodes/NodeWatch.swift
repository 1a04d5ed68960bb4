import Foundation
import Gatefold

/// The nodes that this node has heard of.
///
/// A node is lost if its row has not changed for a while by the monotonic clock of this node. The store's clock does not
/// matter, because a failover may set it forward and all nodes would seem lost.
struct NodeWatch: Sendable {
    /// The number of seconds after which a node that was not heard of counts as lost.
    static let lossInterval: TimeInterval = 65
    /// The number of seconds for which a node uses its share of the limits after its last heartbeat. It ends before the
    /// other nodes take the share over.
    static let shareLifetime: TimeInterval = 60

    private struct Sighting {
        let heard: Date
        /// The monotonic time at which this node first read it.
        let seen: TimeInterval
        /// A Boolean value that indicates whether this node has read two different reports of the node.
        let isRepeated: Bool
    }

    private var sightings: [[UInt8]: Sighting] = [:]

    /// Records the reports of nodes.
    mutating func record(_ reports: [NodeReport], at elapsed: TimeInterval) {
        sightings = Dictionary(
            reports.map { report in
                let known = sightings[report.node.id]
                let sighting = known.flatMap { $0.heard == report.heard ? $0 : nil }
                return (
                    report.node.id,
                    sighting ?? Sighting(heard: report.heard, seen: elapsed, isRepeated: known != nil)
                )
            }, uniquingKeysWith: { first, _ in first })
    }

    /// Returns whether a node has reported itself since this node first read its row. The rows of a copied database may name
    /// nodes that use another one. A lost node counts, because it may still serve readers without the state.
    func wasHeard(_ report: NodeReport) -> Bool { sightings[report.node.id]?.isRepeated == true }

    /// Returns whether a node is live. A node that this node has just heard of is.
    func isLive(_ report: NodeReport, at elapsed: TimeInterval) -> Bool {
        guard let sighting = sightings[report.node.id], sighting.heard == report.heard else { return true }
        return elapsed - sighting.seen < Self.lossInterval
    }
}
