import Foundation
import Gatefold
import Settings
import State
import Synchronization
import TestSupport
import Testing

@testable import Catalogues

@Suite("Catalogue that several nodes share") struct SharedCatalogueTests {
    private static let id = PublicationID("daily")!

    /// Nodes with one state, and an HTTP server with the editions.
    private final class Cluster: Sendable {
        let folder: URL
        let clock = ManualClock()
        let nodes: [CachedCatalogue]
        let faults: [FaultyDocumentStore]
        let events: Events

        /// The events of all nodes.
        final class Events: Sendable {
            let all = Mutex<[CatalogueEvent]>([])
            func named(_ name: CatalogueEvent.Name) -> [CatalogueEvent] {
                all.withLock { $0.filter { $0.name == name } }
            }
        }
        let editions: Source

        /// The editions of the server, and the number of requests.
        final class Source: Sendable {
            struct Content {
                var names: [String]? = ["a"]
                var requests = 0
                /// Runs during each request.
                var pause: (@Sendable () -> Void)?
            }
            let content = Mutex(Content())

            var requests: Int { content.withLock(\.requests) }

            func pause(_ pause: (@Sendable () -> Void)?) { content.withLock { $0.pause = pause } }

            func set(_ names: [String]?) { content.withLock { $0.names = names } }

            func respond() -> String {
                content.withLock { content in
                    content.requests += 1
                    content.pause?()
                    guard let names = content.names else {
                        return "HTTP/1.1 500 Failed\r\nContent-Length: 0\r\nConnection: close\r\n\r\n"
                    }
                    let items = names.map {
                        #"{"name": "\#($0)", "title": "\#($0)", "date": "2026-10-01 00:00:00", "product_id": "\#($0)"}"#
                    }
                    let body = "[\(items.joined(separator: ","))]"
                    return "HTTP/1.1 200 OK\r\nContent-Length: \(body.utf8.count)\r\nConnection: close\r\n\r\n\(body)"
                }
            }
        }

        init(_ count: Int, _ folder: URL, port: Int, _ source: Source) throws {
            self.folder = folder
            editions = source
            let clock = clock
            let settings = "kind: baker\nurl: \"http://127.0.0.1:\(port)/shelf.json\"\nrefresh: 15m\nretry: 1m\n"
            let plan = try CataloguePlan(
                try YAMLSettings.read(text: settings, name: "test.yaml", folder: folder.path, environment: [:]))
            let faults = try (0..<count).map { _ in
                FaultyDocumentStore(try SQLStateStore(path: folder.path + "/state.sqlite", clock: clock.wall))
            }
            self.faults = faults
            let events = Events()
            self.events = events
            nodes = try (0..<count).map { number in
                try CachedCatalogue(
                    SharedCatalogueTests.id, plan,
                    cache: CatalogueCache(
                        folder: folder.path + "/node\(number)", publication: SharedCatalogueTests.id),
                    services: CatalogueServices(
                        clock: clock.wall, random: .seeded(UInt64(number)),
                        observe: { event in events.all.withLock { $0.append(event) } },
                        shared: SharedDocuments(faults[number], clock: clock.wall)))
            }
        }

        /// Lets one node fetch for itself while it cannot reach the store.
        func fetchInOutage(_ node: Int) async {
            faults[node].set { $0.isAway = true }
            for _ in 0..<40 { await second(of: node) }
            faults[node].set { $0.isAway = false }
        }

        /// Lets a second pass at one node.
        func second(of node: Int) async {
            await nodes[node].follow()
            clock.advance(by: 1)
        }

        func names(_ node: Int) -> [String] { nodes[node].current.value.editions.map(\.id.rawValue).sorted() }
    }

    private func withCluster(
        _ count: Int = 2, _ body: @escaping @Sendable (Cluster) async throws -> Void
    ) async throws {
        let source = Cluster.Source()
        try await withScriptedHTTPServer(responding: { source.respond() }) { port in
            try await withTemporaryFolder { folder in
                try await body(try Cluster(count, folder, port: port, source))
            }
        }
    }

    @Test("One node fetches in each interval, and the others have the same editions a second later")
    func fetches() async throws {
        try await withCluster(3) { cluster async throws in
            var expected = 0
            for names in [["a"], ["a", "b"], ["a", "b"], ["a", "b", "c"]] {
                cluster.editions.set(names)
                // A second passes at each node, in another order each time.
                for round in 0..<3 {
                    for number in 0..<3 { await cluster.nodes[(number + expected) % 3].follow() }
                    cluster.clock.advance(by: 1)
                    if round > 0 { for number in 0..<3 { #expect(cluster.names(number) == names) } }
                }
                expected += 1
                #expect(cluster.editions.requests == expected)
                cluster.clock.advance(by: 1_000)
            }
            for node in cluster.nodes { #expect(!node.status(at: cluster.clock.now - 1_000).isStale) }
        }
    }

    @Test("A failed fetch is repeated by one node, after the wait for a failure")
    func failures() async throws {
        try await withCluster { cluster async throws in
            for node in cluster.nodes { await node.follow() }
            cluster.clock.advance(by: 1_000)
            cluster.editions.set(nil)
            for expected in 2...4 {
                for _ in 0..<5 {
                    for node in cluster.nodes { await node.follow() }
                    cluster.clock.advance(by: 1)
                }
                #expect(cluster.editions.requests == expected)
                cluster.clock.advance(by: 70)
            }
            for number in 0..<2 { #expect(cluster.names(number) == ["a"]) }
        }
    }

    @Test("When the fetching node dies, another one fetches after its lease")
    func killed() async throws {
        try await withCluster { cluster in
            for node in cluster.nodes { await node.follow() }
            cluster.clock.advance(by: 1_000)
            let state = try SQLStateStore(path: cluster.folder.path + "/state.sqlite", clock: cluster.clock.wall)
            let name = try #require(try await state.sharedDocuments().first?.name)
            #expect(try await state.takeLease(name, owner: [9], for: Lease.duration))
            cluster.editions.set(["a", "b"])
            await cluster.nodes[1].follow()
            #expect(cluster.names(1) == ["a"] && cluster.editions.requests == 1)
            cluster.clock.advance(by: Lease.duration)
            await cluster.nodes[1].follow()
            #expect(cluster.names(1) == ["a", "b"])
            cluster.clock.advance(by: 1)
            await cluster.nodes[0].follow()
            #expect(cluster.names(0) == ["a", "b"] && cluster.editions.requests == 2)
        }
    }

    @Test("A node that starts takes over the editions of the others without a fetch")
    func starts() async throws {
        try await withCluster { cluster async throws in
            await cluster.nodes[0].follow()
            cluster.editions.set(nil)
            cluster.clock.advance(by: 1)
            await cluster.nodes[1].follow()
            #expect(cluster.names(1) == ["a"] && cluster.editions.requests == 1)
        }
    }

    @Test("A node that wakes after its lease shows nothing of its response")
    func wakes() async throws {
        try await withCluster { cluster in
            for node in 0..<2 { await cluster.second(of: node) }
            cluster.clock.advance(by: 1_000)
            cluster.editions.set(["a", "old"])
            let clock = cluster.clock
            cluster.editions.pause { clock.advance(by: Lease.duration + 1) }
            await cluster.second(of: 0)
            #expect(cluster.names(0) == ["a"])
            cluster.editions.pause(nil)
            cluster.editions.set(["a", "new"])
            for node in [1, 0] { await cluster.second(of: node) }
            #expect(cluster.names(0) == ["a", "new"] && cluster.names(1) == ["a", "new"])
        }
    }

    @Test("A catalogue counts as confirmed when its request was sent")
    func confirmed() async throws {
        try await withCluster { cluster in
            let (clock, sent) = (cluster.clock, cluster.clock.now)
            cluster.editions.pause { clock.advance(by: 20) }
            await cluster.second(of: 0)
            #expect(cluster.nodes[0].status(at: clock.now).confirmedAt == sent)
        }
    }

    @Test("Editions that a node fetched in an outage are shared with the next result")
    func afterOutage() async throws {
        try await withCluster { cluster in
            for node in 0..<2 { await cluster.second(of: node) }
            cluster.clock.advance(by: 1_000)
            cluster.editions.set(["a", "b"])
            await cluster.fetchInOutage(0)
            #expect(cluster.names(0) == ["a", "b"] && cluster.names(1) == ["a"])
            cluster.clock.advance(by: 1_000)
            for node in 0..<2 { await cluster.second(of: node) }
            #expect(cluster.names(1) == ["a", "b"])
        }
    }

    @Test("A result that cannot be stored is not fetched again each second, and is shared later")
    func unshared() async throws {
        try await withCluster { cluster in
            for node in 0..<2 { await cluster.second(of: node) }
            cluster.clock.advance(by: 1_000)
            cluster.editions.set(["a", "b"])
            cluster.faults[0].set { $0.rejectsReplacement = true }
            for _ in 0..<5 { await cluster.second(of: 0) }
            #expect(cluster.names(0) == ["a", "b"] && cluster.editions.requests == 2)
            cluster.faults[0].set { $0.rejectsReplacement = false }
            cluster.clock.advance(by: 1_000)
            for node in 0..<2 { await cluster.second(of: node) }
            #expect(cluster.names(1) == ["a", "b"])
        }
    }

    @Test("A node that cannot use the shared editions reports it once, and fetches by its own schedule")
    func unusable() async throws {
        try await withCluster { cluster in
            await cluster.second(of: 0)
            cluster.faults[1].set { $0.damagesParts = true }
            for _ in 0..<10 { await cluster.second(of: 1) }
            #expect(cluster.names(1) == ["a"] && cluster.editions.requests == 2)
            #expect(cluster.events.named(.notTakenOver).count == 1)
        }
    }

    @Test("A node keeps its editions when its limits reject those of another node, and reports it")
    func limits() async throws {
        try await withCluster(3) { cluster in
            cluster.editions.set(["a", "b", "c", "d"])
            for node in 0..<2 { await cluster.second(of: node) }
            cluster.clock.advance(by: 1_000)
            // A node that has no editions yet accepts any number.
            cluster.editions.set(["a"])
            await cluster.fetchInOutage(2)
            cluster.clock.advance(by: 1_000)
            await cluster.second(of: 2)
            cluster.editions.set(nil)
            for _ in 0..<5 { await cluster.second(of: 1) }
            #expect(cluster.names(2) == ["a"] && cluster.names(1) == ["a", "b", "c", "d"])
            #expect(
                cluster.events.named(.notTakenOver).map(\.detail)
                    == [CatalogueRejection.shrunk(from: 4, to: 1).description])
        }
    }

    @Test("A node whose clock was ahead takes over what the others fetch later")
    func clockAhead() async throws {
        try await withCluster { cluster in
            cluster.clock.step(by: 86_400)
            await cluster.fetchInOutage(1)
            cluster.clock.step(by: -86_400)
            cluster.editions.set(["a", "b"])
            for node in 0..<2 { await cluster.second(of: node) }
            #expect(cluster.names(1) == ["a", "b"])
        }
    }
}
