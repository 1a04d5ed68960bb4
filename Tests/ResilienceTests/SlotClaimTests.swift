import Primitives
import TestSupport
import Testing

@testable import Resilience

@Suite("Division of a concurrency limit among nodes") struct SlotClaimTests {
    /// A node that makes as many calls as it may.
    private struct Node {
        var id: Int
        var allowed = 0
        var running = 0
        var claimed = 0
    }

    /// Nodes whose heartbeats run one after another, in any order.
    private struct Cluster {
        let limit: Int
        var nodes: [Node] = []
        var next = 0

        mutating func join() {
            nodes.append(Node(id: next))
            next += 1
        }

        mutating func beat(_ index: Int) {
            let node = nodes[index]
            let claim = SlotClaim(
                limit: limit, allowed: node.allowed, running: node.running,
                others: nodes.reduce(0) { $0 + $1.claimed } - node.claimed, position: index, nodes: nodes.count, lost: 0
            )
            nodes[index].claimed = claim.claimed
            nodes[index].allowed = claim.allowed
        }

        var running: Int { nodes.reduce(0) { $0 + $1.running } }
    }

    @Test("The nodes together never make more calls than the limit, whatever joins, leaves and runs", arguments: 1...50)
    func neverExceeded(seed: UInt64) {
        var random = SeededRandom(seed: seed)
        var cluster = Cluster(limit: Int.random(in: 8...40, using: &random))
        for _ in 0..<5_000 {
            let index = cluster.nodes.indices.randomElement(using: &random)
            switch Int.random(in: 0..<100, using: &random) {
            case 0 where cluster.nodes.count < 8: cluster.join()
            case 1 where cluster.nodes.count > 1:
                // A node that stops has ended its calls.
                if let index, cluster.nodes[index].running == 0 { cluster.nodes.remove(at: index) }
            case 2..<30: if let index { cluster.beat(index) }
            case 30..<75:
                if let index, cluster.nodes[index].running < cluster.nodes[index].allowed {
                    cluster.nodes[index].running += 1
                }
            default: if let index, cluster.nodes[index].running > 0 { cluster.nodes[index].running -= 1 }
            }
            #expect(cluster.running <= cluster.limit)
        }
        // Without further changes, the nodes divide the whole limit evenly.
        for index in cluster.nodes.indices { cluster.nodes[index].running = 0 }
        for _ in 0..<3 { for index in cluster.nodes.indices { cluster.beat(index) } }
        let shares = cluster.nodes.map(\.allowed)
        #expect(shares.reduce(0, +) == cluster.limit || cluster.nodes.isEmpty)
        #expect((shares.max() ?? 0) - (shares.min() ?? 0) <= 1)
    }

    @Test("Leaves a call to each lost node, and gives each node at least one")
    func lost() {
        func claim(limit: Int, nodes: Int, lost: Int) -> SlotClaim {
            SlotClaim(limit: limit, allowed: 0, running: 0, others: 0, position: 0, nodes: nodes, lost: lost)
        }
        #expect(claim(limit: 20, nodes: 2, lost: 1).allowed == 10)
        #expect(claim(limit: 20, nodes: 1, lost: 1).allowed == 19)
        #expect(claim(limit: 2, nodes: 3, lost: 0) == claim(limit: 3, nodes: 3, lost: 0))
        #expect(claim(limit: 1, nodes: 1, lost: 5).allowed == 1)
        #expect(claim(limit: 16, nodes: 2, lost: 15).allowed == 6, "a node that crashes again and again")
    }

    @Test("A node makes one call at a time if the others leave it none for long")
    func starved() {
        for isStarved in [false, true] {
            let claim = SlotClaim(
                limit: 8, allowed: 0, running: 0, others: 8, position: 1, nodes: 2, lost: 0, isStarved: isStarved)
            #expect(claim.allowed == (isStarved ? 1 : 0))
        }
    }

    @Test("A share ends with its time, and then one call at a time remains")
    func expiry() {
        let time = ManualTime()
        let shares = SlotShares(clock: time.clock.wall)
        #expect(shares.slots(of: "db") == 1, "a node that started without its store")
        shares.set(["db": 7, "idle": 0], until: time.clock.wall.elapsed + 60)
        #expect(shares.slots(of: "db") == 7 && shares.slots(of: "other") == 0)
        time.advance(by: 59)
        #expect(shares.slots(of: "db") == 7)
        time.advance(by: 2)
        for backend in ["db", "idle", "other"] { #expect(shares.slots(of: backend) == 1) }
    }
}
