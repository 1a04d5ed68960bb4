import Foundation
import Gatefold
import Primitives
import State
import Synchronization
import TestSupport
import Testing

@testable import Backends
@testable import PasswordHashing

@Suite("Feed that several nodes share") struct SharedFeedTests {
    private static let ann = "id,email,password,state,editions\n1,ann@example.com,\(FeedHashes.right),active,\n"
    private static let both = ann + "2,bob@example.com,\(FeedHashes.right),active,\n"

    /// Nodes with one state, each with its own folder, and an HTTP server with the feed.
    private struct Cluster {
        let harnesses: [FeedHarness]
        let nodes: [FeedHarness.Opened]
        let feeds: [SharedFeed]
        let stores: [SQLStateStore]
        let clock: ManualClock

        init(_ count: Int, _ folder: URL, port: Int, maxSize: Int) throws {
            let clock = ManualClock()
            self.clock = clock
            let settings = FeedHarness.settings.replacing(
                "file://FOLDER/readers.csv", with: "http://127.0.0.1:\(port)/readers.csv")
            stores = try (0..<count).map { _ in
                try SQLStateStore(path: folder.path + "/state.sqlite", clock: clock.wall)
            }
            harnesses = try (0..<count).map { number in
                let own = folder.appending(path: "node\(number)")
                try FileManager.default.createDirectory(at: own, withIntermediateDirectories: true)
                return FeedHarness(own, clock: clock)
            }
            nodes = try harnesses.map { try $0.open(settings) }
            feeds = zip(nodes, stores).map {
                SharedFeed(update: $0.update, documents: SharedDocuments($1, clock: clock.wall), maxSize: maxSize)
            }
        }

        func rows(_ node: Int) -> Int? { nodes[node].store.current?.summary.rows }

        /// Lets a second pass at all nodes.
        func second() async {
            for feed in feeds { _ = await feed.advance(0) }
            clock.advance(by: 1)
        }
    }

    private final class Source: Sendable {
        let content = Mutex<(text: String?, requests: Int)>((SharedFeedTests.ann, 0))
        var requests: Int { content.withLock(\.requests) }
        func set(_ text: String?) { content.withLock { $0.text = text } }
        func respond() -> String {
            content.withLock { content in
                content.requests += 1
                guard let text = content.text else {
                    return "HTTP/1.1 500 Failed\r\nContent-Length: 0\r\nConnection: close\r\n\r\n"
                }
                return "HTTP/1.1 200 OK\r\nContent-Length: \(text.utf8.count)\r\nConnection: close\r\n\r\n\(text)"
            }
        }
    }

    private func withCluster(
        _ count: Int = 2, maxSize: Int = SharedDocuments.maxSize,
        _ body: @escaping @Sendable (Cluster, Source) async throws -> Void
    ) async throws {
        let source = Source()
        try await withScriptedHTTPServer(responding: { source.respond() }) { port in
            try await withTemporaryFolder { folder in
                try await body(try Cluster(count, folder, port: port, maxSize: maxSize), source)
            }
        }
    }

    @Test("One node fetches in each interval, and the others serve the same readers a second later")
    func fetches() async throws {
        try await withCluster(3) { cluster, source async throws in
            for (text, rows) in [(Self.ann, 1), (Self.both, 2), (Self.both, 2)] {
                source.set(text)
                let before = source.requests
                for _ in 0..<3 { await cluster.second() }
                #expect(source.requests == before + 1)
                for number in 0..<3 {
                    #expect(cluster.rows(number) == rows)
                    #expect(try await cluster.nodes[number].subscription("\(rows)").state == .active)
                    let result = try await cluster.nodes[number].authenticate("ann@example.com", "right")
                    #expect(result != .rejected(message: nil))
                }
                cluster.clock.advance(by: 7 * 3600)
            }
        }
    }

    @Test("A rejected feed and an unreachable source leave all nodes with the same feed")
    func failures() async throws {
        try await withCluster { cluster, source in
            for _ in 0..<2 { await cluster.second() }
            for text in [nil, "nothing that is a feed"] {
                cluster.clock.advance(by: 7 * 3600)
                source.set(text)
                let before = source.requests
                for _ in 0..<5 { await cluster.second() }
                #expect(source.requests > before)
                #expect(cluster.rows(0) == 1 && cluster.rows(1) == 1)
                #expect(cluster.nodes[0].store.status.failures == cluster.nodes[1].store.status.failures)
            }
        }
    }

    @Test("When the fetching node dies, another one fetches after its lease")
    func killed() async throws {
        try await withCluster { cluster, source in
            for _ in 0..<2 { await cluster.second() }
            cluster.clock.advance(by: 7 * 3600)
            source.set(Self.both)
            let name = try #require(try await cluster.stores[0].sharedDocuments().first?.name)
            #expect(try await cluster.stores[0].takeLease(name, owner: [9], for: Lease.duration))
            for _ in 0..<5 { _ = await cluster.feeds[1].advance(0) }
            #expect(cluster.rows(1) == 1)
            cluster.clock.advance(by: Lease.duration)
            _ = await cluster.feeds[1].advance(0)
            #expect(cluster.rows(1) == 2)
            cluster.clock.advance(by: 1)
            _ = await cluster.feeds[0].advance(0)
            #expect(cluster.rows(0) == 2)
        }
    }

    @Test("A node that lost its files takes over the feed of the others without a fetch")
    func restarted() async throws {
        try await withCluster { cluster, source async throws in
            _ = await cluster.feeds[0].advance(0)
            source.set(nil)
            cluster.clock.advance(by: 1)
            _ = await cluster.feeds[1].advance(0)
            #expect(cluster.rows(1) == 1 && source.requests == 1)
            #expect(cluster.harnesses[1].files == ["house.lock", "house.sqlite", "house.status.json"])
        }
    }

    @Test("Each node fetches a feed that is too large to be shared, and none fetches it twice in an interval")
    func tooLarge() async throws {
        try await withCluster(3, maxSize: 1) { cluster, source async throws in
            for (text, rows) in [(Self.ann, 1), (Self.both, 2)] {
                source.set(text)
                let before = source.requests
                for _ in 0..<5 { await cluster.second() }
                #expect(source.requests == before + 3)
                for number in 0..<3 { #expect(cluster.rows(number) == rows) }
                cluster.clock.advance(by: 7 * 3600)
            }
            let document = try #require(try await cluster.stores[0].sharedDocuments().first)
            #expect(document.version == nil && document.parts == 0)
        }
    }

    @Test("Nodes share a feed again once it is small enough")
    func smallAgain() async throws {
        try await withCluster { cluster, source async throws in
            var large = cluster.feeds
            for number in large.indices { large[number].maxSize = 1 }
            for feed in large { _ = await feed.advance(0) }
            #expect(source.requests == 2)
            cluster.clock.advance(by: 7 * 3600)
            source.set(Self.both)
            for _ in 0..<3 { await cluster.second() }
            #expect(source.requests == 3)
            #expect(cluster.rows(0) == 2 && cluster.rows(1) == 2)
        }
    }
}
