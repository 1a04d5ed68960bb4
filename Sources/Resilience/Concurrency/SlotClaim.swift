/// The division of one concurrency limit among nodes.
///
/// A node may make as many calls as it claims. It claims more only if the claims of the others leave room for it, and
/// claims less only after its own calls have ended. So the claims of all nodes together never exceed the limit.
package struct SlotClaim: Sendable, Equatable {
    /// The number of calls that the node may make, which the other nodes must leave to it.
    package let claimed: Int
    /// The number of calls that the node limits itself to from now on. If it is less than `claimed`, the node claims less
    /// as soon as its calls have ended.
    package let allowed: Int

    /// - Parameters:
    ///   - limit: The limit of all nodes together.
    ///   - allowed: The number of calls that the node limited itself to before.
    ///   - running: The number of calls that the node is making.
    ///   - others: The claims of the other nodes.
    ///   - position: The position of the node among all live nodes, from 0, on which all nodes agree.
    ///   - nodes: The number of live nodes.
    ///   - lost: The number of nodes that may still make one call each, see ``SlotShares``. Nodes that end repeatedly use
    ///     up at most a quarter of the limit.
    ///   - isStarved: Whether the node has had no share for long, because the others claim a larger limit or their calls do
    ///     not end. It then makes one call at a time.
    package init(
        limit: Int, allowed: Int, running: Int, others: Int, position: Int, nodes: Int, lost: Int,
        isStarved: Bool = false
    ) {
        let nodes = max(1, nodes)
        let usable = limit - min(lost, limit / 4)
        guard usable >= nodes else {
            // Each node needs one call at a time, even if they exceed the limit together.
            self.init(claimed: max(1, running, allowed), allowed: 1)
            return
        }
        let fair = usable / nodes + (position < usable % nodes ? 1 : 0)
        let granted = max(min(fair, max(0, usable - others)), isStarved ? 1 : 0)
        self.init(claimed: max(granted, running, allowed), allowed: granted)
    }

    private init(claimed: Int, allowed: Int) {
        self.claimed = claimed
        self.allowed = allowed
    }
}
