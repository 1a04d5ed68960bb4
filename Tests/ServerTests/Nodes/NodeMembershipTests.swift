import Foundation
import Gatefold
import Logging
import Primitives
import Resilience
import TestSupport
import Testing

@testable import Server
@testable import State

@Suite("Membership of a node") struct NodeMembershipTests {
    /// Nodes on one state whose heartbeats and clocks the test controls. The limit of their only backend is 12.
    private struct Cluster {
        let clock = ManualClock()
        let store: SQLStateStore
        let running = Locked<[UInt8: Int]>([:])

        init(_ folder: URL) throws {
            store = try SQLStateStore(path: folder.appending(path: "state.sqlite").path, clock: clock.wall)
        }

        /// Returns a new process of a node.
        func node(_ id: UInt8, limit: Int = 12) -> NodeMembership {
            NodeMembership(
                NodeIdentity(id: [id], name: "node \(id)", version: "1", started: clock.wall.now), store: store,
                shares: SlotShares(clock: clock.wall), clock: clock.wall,
                logger: Logger(label: "test") { _ in
                    SwiftLogNoOpLogHandler()
                },
                behind: { 0 },
                sleep: { [clock] in clock.advance(by: $0) },
                usages: { [running] in
                    [.init(backend: "db", limit: limit, running: running.withLock { $0[id] ?? 0 })]
                }, didSetShares: {})
        }

        func beat(_ nodes: NodeMembership..., times: Int = 1) async throws {
            for _ in 0..<times {
                for node in nodes { try await node.beat() }
                clock.advance(by: 1)
            }
        }
    }

    private func withCluster(_ test: (Cluster) async throws -> Void) async throws {
        try await withTemporaryFolder { try await test(try Cluster($0)) }
    }

    private func slots(_ nodes: NodeMembership...) -> [Int] { nodes.map { $0.shares.slots(of: "db") } }

    @Test("Nodes that join divide the limit, and the others take the share of one that leaves")
    func joining() async throws {
        try await withCluster { cluster in
            let (first, second, third) = (cluster.node(1), cluster.node(2), cluster.node(3))
            try await first.join()
            #expect(slots(first) == [12])
            try await cluster.beat(second, first, second, times: 2)
            #expect(slots(first, second) == [6, 6])
            try await cluster.beat(first, second, third, times: 3)
            #expect(slots(first, second, third) == [4, 4, 4])
            try await second.leave()
            try await cluster.beat(first, third, times: 2)
            #expect(slots(first, third) == [6, 6])
        }
    }

    @Test("Pitfall 31: the share of a node whose row is unreadable stays with it until the node counts as lost")
    func unreadableRow() async throws {
        try await withCluster { cluster in
            let (first, second, third) = (cluster.node(1), cluster.node(2), cluster.node(3))
            try await first.join()
            try await cluster.beat(second, first, second, times: 2)
            #expect(slots(first, second) == [6, 6])
            try await cluster.store.database.write { db in
                try db.execute("UPDATE node SET slots = 'of a later version' WHERE id = x'02'")
            }
            try await cluster.beat(first, third, times: 4)
            #expect(slots(first)[0] + 6 + slots(third)[0] <= 12)
            try await cluster.beat(first, third, times: Int(NodeWatch.lossInterval) + 3)
            // The lost node may still make one call.
            #expect(slots(first)[0] + slots(third)[0] == 11)
        }
    }

    @Test("Calls in progress stay with their node until they end")
    func runningCalls() async throws {
        try await withCluster { cluster in
            let (first, second) = (cluster.node(1), cluster.node(2))
            try await first.join()
            cluster.running.withLock { $0[1] = 10 }
            try await cluster.beat(second, first, second, times: 2)
            #expect(slots(first, second) == [6, 2])
            cluster.running.withLock { $0[1] = 3 }
            try await cluster.beat(first, second)
            #expect(slots(first, second) == [6, 6])
        }
    }

    @Test("A lost node makes one call before the others take its share, and they leave it that call for an hour")
    func loss() async throws {
        try await withCluster { cluster in
            let (first, second) = (cluster.node(1), cluster.node(2))
            try await cluster.beat(first, second, times: 4)
            #expect(slots(first, second) == [6, 6])
            // The second node is suspended.
            try await cluster.beat(first, times: 58)
            #expect(slots(first, second) == [6, 6])
            try await cluster.beat(first, times: 3)
            #expect(slots(first, second) == [6, 1])
            try await cluster.beat(first, times: 8)
            #expect(slots(first, second) == [11, 1])
            cluster.clock.advance(by: NodeMembership.removalInterval)
            try await cluster.beat(first, times: 2)
            #expect(slots(first) == [12])
            // It wakes up.
            try await cluster.beat(second, first, times: 4)
            #expect(slots(first, second) == [6, 6])
        }
    }

    @Test("The store's clock makes no node seem lost, whichever way it is set", arguments: [86_400.0, -86_400])
    func clockSteps(step: TimeInterval) async throws {
        try await withCluster { cluster in
            let (first, second) = (cluster.node(1), cluster.node(2))
            try await cluster.beat(first, second, times: 4)
            cluster.clock.step(by: step)
            try await cluster.beat(first, second, times: 4)
            #expect(slots(first, second) == [6, 6])
        }
    }

    @Test("A node that restarts has its share at once, and its former process takes nothing away")
    func restart() async throws {
        try await withCluster { cluster in
            let (first, second) = (cluster.node(1), cluster.node(2))
            try await cluster.beat(first, second, times: 4)
            let again = cluster.node(2)
            try await again.join()
            #expect(slots(first, again) == [6, 6])
            try await second.leave()
            try await cluster.beat(first, again, times: 2)
            #expect(slots(first, again) == [6, 6])
        }
    }

    @Test("A node to which the others leave nothing makes one call at a time")
    func starving() async throws {
        try await withCluster { cluster in
            let (large, small) = (cluster.node(1, limit: 40), cluster.node(2, limit: 8))
            try await large.join()
            try await cluster.beat(large, small, times: 3)
            #expect(slots(large, small) == [20, 0])
            try await cluster.beat(large, small, times: 4)
            #expect(slots(large, small) == [20, 1])
            try await cluster.beat(large, small, times: 4)
            #expect(slots(large, small) == [20, 1])
        }
    }
}
