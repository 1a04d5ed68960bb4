import Foundation
import Gatefold
import State
import TestSupport
import Testing

@Suite("Nodes of a state", .stateServers) struct NodeConformance {
    private static func node(_ number: UInt8, started: Date = noon) -> NodeIdentity {
        NodeIdentity(
            id: [number], name: "node \(number)", version: "1.0", started: started,
            url: number == 2 ? "http://192.0.2.2:9090" : nil)
    }

    @Test(
        "A node sees the others with their claims, and its own report",
        arguments: TestedStore<any NodeStore>.durable { $0 })
    func reports(kind: TestedStore<any NodeStore>) async throws {
        let clock = ManualClock(noon)
        try await kind.with(2, clock: clock.wall) { stores in
            let first = try await stores[0].heartbeat(Self.node(1), behind: 0.5) { others in
                others.isEmpty ? ["db": 20] : [:]
            }
            let expected = NodeReport(
                node: Self.node(1), heard: noon, behind: 0.5, isDraining: false, slots: ["db": 20])
            #expect(first == [expected])
            clock.advance(by: 3)
            let second = try await stores[1].heartbeat(Self.node(2), behind: 0) { others in
                ["db": others.reduce(0) { $0 + ($1.slots["db"] ?? 0) }, "other": 1]
            }
            #expect(second.map(\.node.name) == ["node 1", "node 2"])
            #expect(second[0] == expected)
            #expect(try await stores[0].nodes().map(\.node.url) == [nil, "http://192.0.2.2:9090"])
            #expect(second[1].slots == ["db": 20, "other": 1] && second[1].heard == noon + 3)
            #expect(try await stores[0].nodes() == second)
            try await stores[0].removeNode(second[1])
            #expect(try await stores[1].nodes() == [expected])
            // A node that has reported itself since stays.
            clock.advance(by: 1)
            _ = try await stores[0].heartbeat(Self.node(1), behind: 0) { _ in [:] }
            try await stores[1].removeNode(expected)
            #expect(try await stores[1].nodes().count == 1)
        }
    }

    @Test("A node is drained by its name until its process ends", arguments: TestedStore<any NodeStore>.durable { $0 })
    func draining(kind: TestedStore<any NodeStore>) async throws {
        try await kind.with { store in
            #expect(try await !store.setDraining(true, ofNode: "node 1"))
            _ = try await store.heartbeat(Self.node(1), behind: 0) { _ in [:] }
            #expect(try await store.setDraining(true, ofNode: "node 1"))
            #expect(try await store.heartbeat(Self.node(1), behind: 0) { _ in [:] }[0].isDraining)
            #expect(try await store.setDraining(false, ofNode: "node 1"))
            #expect(try await !store.heartbeat(Self.node(1), behind: 0) { _ in [:] }[0].isDraining)
            #expect(try await store.setDraining(true, ofNode: "node 1"))
            // A restart takes it into service.
            #expect(
                try await !store.heartbeat(Self.node(1, started: noon + 1), behind: 0) { _ in [:] }[0].isDraining)
        }
    }

    @Test(
        "Fifty nodes that claim at the same time never claim more than there is",
        arguments: TestedStore<any NodeStore>.durable { $0 })
    func race(kind: TestedStore<any NodeStore>) async throws {
        try await kind.with(3) { stores in
            try await withThrowingTaskGroup(of: Void.self) { group in
                for number: UInt8 in 0..<50 {
                    group.addTask {
                        _ = try await stores[Int(number) % 3].heartbeat(Self.node(number), behind: 0) { others in
                            ["db": others.reduce(20) { $0 - ($1.slots["db"] ?? 0) } > 0 ? 1 : 0]
                        }
                    }
                }
                try await group.waitForAll()
            }
            let nodes = try await stores[0].nodes()
            #expect(nodes.count == 50 && nodes.reduce(0) { $0 + ($1.slots["db"] ?? 0) } == 20)
        }
    }
}
