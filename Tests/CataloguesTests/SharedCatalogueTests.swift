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
        let editions: Source

        /// The editions of the server, and the number of requests.
        final class Source: Sendable {
            struct Content {
                var names: [String]? = ["a"]
                var requests = 0
            }
            let content = Mutex(Content())

            var requests: Int { content.withLock(\.requests) }

            func set(_ names: [String]?) { content.withLock { $0.names = names } }

            func respond() -> String {
                content.withLock { content in
                    content.requests += 1
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
            nodes = try (0..<count).map { number in
                let store = try SQLStateStore(path: folder.path + "/state.sqlite", clock: clock.wall)
                return try CachedCatalogue(
                    SharedCatalogueTests.id, plan,
                    cache: CatalogueCache(
                        folder: folder.path + "/node\(number)", publication: SharedCatalogueTests.id),
                    services: CatalogueServices(
                        clock: clock.wall, random: .seeded(UInt64(number)),
                        shared: SharedDocuments(store, clock: clock.wall)))
            }
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
}
