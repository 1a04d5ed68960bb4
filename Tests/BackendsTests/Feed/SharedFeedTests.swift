import Foundation
import Gatefold
import Primitives
import Resilience
import State
import Synchronization
import TestSupport
import Testing

@testable import Backends
@testable import PasswordHashing

@Suite("Feed that several nodes share") struct SharedFeedTests {
    private static let ann = "id,email,password,state,editions\n1,ann@example.com,\(FeedHashes.right),active,\n"
    private static let five =
        ann + (2...5).map { "\($0),reader\($0)@example.com,\(FeedHashes.right),active,\n" }.joined()
    private static let both = ann + "2,bob@example.com,\(FeedHashes.right),active,\n"

    /// Nodes with one state, each with its own folder, and an HTTP server with the feed.
    private struct Cluster {
        let harnesses: [FeedHarness]
        let nodes: [FeedHarness.Opened]
        let feeds: [SharedFeed]
        let stores: [SQLStateStore]
        let faults: [FaultyDocumentStore]
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
            faults = stores.map { FaultyDocumentStore($0) }
            feeds = zip(nodes, faults).map {
                SharedFeed(update: $0.update, documents: SharedDocuments($1, clock: clock.wall), maxSize: maxSize)
            }
        }

        func rows(_ node: Int) -> Int? { nodes[node].store.current?.summary.rows }

        func events(_ node: Int, _ name: String) -> [BackendEvent] {
            harnesses[node].events.withLock { $0.filter { $0.name == name } }
        }

        /// Lets one node fetch for itself while it cannot reach the store.
        func fetchInOutage(_ node: Int) async {
            faults[node].set { $0.isAway = true }
            for _ in 0..<40 { await second(of: node) }
            faults[node].set { $0.isAway = false }
        }

        /// Lets a second pass at one node.
        func second(of node: Int) async {
            _ = await feeds[node].advance(0)
            clock.advance(by: 1)
        }

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

    @Test("A feed that a node fetched in an outage is shared with the next result, also if the source has no other one")
    func unchangedAfterOutage() async throws {
        try await withCluster { cluster, source in
            for _ in 0..<2 { await cluster.second() }
            cluster.clock.advance(by: 7 * 3600)
            source.set(Self.both)
            await cluster.fetchInOutage(0)
            #expect(cluster.rows(0) == 2 && cluster.rows(1) == 1)
            cluster.clock.advance(by: 7 * 3600)
            for node in 0..<2 { await cluster.second(of: node) }
            #expect(cluster.nodes[0].store.status.outcome == .unchanged)
            #expect(cluster.rows(0) == 2 && cluster.rows(1) == 2)
        }
    }

    @Test("A result that cannot be stored is not fetched again each second, and is shared later")
    func unshared() async throws {
        try await withCluster { cluster, source in
            for _ in 0..<2 { await cluster.second() }
            cluster.clock.advance(by: 7 * 3600)
            source.set(Self.both)
            cluster.faults[0].set { $0.rejectsReplacement = true }
            let before = source.requests
            for _ in 0..<5 { await cluster.second(of: 0) }
            #expect(source.requests == before + 1)
            #expect(cluster.rows(0) == 2)
            cluster.faults[0].set { $0.rejectsReplacement = false }
            cluster.clock.advance(by: 7 * 3600)
            for node in 0..<2 { await cluster.second(of: node) }
            #expect(cluster.rows(0) == 2 && cluster.rows(1) == 2)
        }
    }

    @Test("A first result that cannot be stored is not fetched again each second")
    func unsharedFirst() async throws {
        try await withCluster { cluster, source in
            cluster.faults[0].set { $0.rejectsReplacement = true }
            for _ in 0..<5 { await cluster.second(of: 0) }
            #expect(source.requests == 1)
            #expect(cluster.rows(0) == 1)
        }
    }

    @Test("A node that cannot use the shared database reports it once, and fetches by its own schedule")
    func unusable() async throws {
        try await withCluster { cluster, source in
            await cluster.second(of: 0)
            cluster.faults[1].set { $0.damagesParts = true }
            for _ in 0..<10 { await cluster.second(of: 1) }
            #expect(cluster.rows(1) == 1)
            #expect(source.requests == 2)
            #expect(cluster.events(1, "feed_not_taken_over").count == 1)
            #expect(cluster.faults[1].faults.partsRead == 1)
            cluster.clock.advance(by: 7 * 3600)
            source.set(Self.both)
            cluster.faults[1].set { $0.damagesParts = false }
            for node in 0..<2 { await cluster.second(of: node) }
            #expect(cluster.rows(1) == 2)
        }
    }

    @Test("A node without a feed whose source fails tries a damaged database again, after growing waits")
    func retries() async throws {
        try await withCluster { cluster, source in
            await cluster.second(of: 0)
            source.set(nil)
            cluster.faults[1].set { $0.damagesParts = true }
            for _ in 0..<100 { await cluster.second(of: 1) }
            #expect(cluster.rows(1) == nil)
            // At 0, 30 and 90 s.
            #expect(cluster.faults[1].faults.partsRead == 3)
            cluster.faults[1].set { $0.damagesParts = false }
            cluster.clock.advance(by: 120)
            await cluster.second(of: 1)
            #expect(cluster.rows(1) == 1)
        }
    }

    @Test("A node keeps its feed when its limits reject that of another node, and reports it")
    func limits() async throws {
        try await withCluster(3) { cluster, source async throws in
            source.set(Self.five)
            for node in 0..<2 { await cluster.second(of: node) }
            #expect(cluster.rows(1) == 5)
            // A node that has no feed yet accepts any number of readers.
            source.set(Self.ann)
            await cluster.fetchInOutage(2)
            cluster.clock.advance(by: 7 * 3600)
            await cluster.second(of: 2)
            let read = cluster.faults[1].faults.partsRead
            for _ in 0..<5 { await cluster.second(of: 1) }
            #expect(cluster.rows(2) == 1 && cluster.rows(1) == 5)
            let events = cluster.events(1, "feed_not_taken_over")
            #expect(events.map(\.detail) == [FeedRejection.shrunk(from: 5, to: 1).description])
            #expect(cluster.faults[1].faults.partsRead == read)
            #expect(cluster.nodes[1].store.status.outcome == .rejected)
        }
    }

    @Test("A node whose clock was ahead takes over what the others fetch later")
    func clockAhead() async throws {
        try await withCluster { cluster, source in
            cluster.clock.step(by: 86_400)
            await cluster.fetchInOutage(1)
            #expect(cluster.rows(1) == 1)
            cluster.clock.step(by: -86_400)
            source.set(Self.both)
            for node in 0..<2 { await cluster.second(of: node) }
            #expect(cluster.rows(1) == 2)
        }
    }
}
