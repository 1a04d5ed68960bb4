import Foundation
import Gatefold
import Logging
import OutgoingRequests
import Primitives
import State
import TestSupport
import Testing

@testable import Server

@Suite("Announcement of revocations to other nodes") struct RevocationPeersTests {
    /// Nodes that accept or reject announcements, and the peers of a further node.
    private final class Network: Sendable {
        let time = ManualTime()
        let key = PseudonymKey(Secret(Array(repeating: 1, count: 32)))
        /// The numbers of the revocations that each node was sent, by URL.
        let sent = Locked<[String: [[Int]]]>([:])
        /// The status with which each node responds, by URL. 0 stands for a node that cannot be reached.
        let statuses = Locked<[String: Int]>([:])
        /// Blocks the response of the node at `RevocationPeersTests.first`, if it is set.
        let latch = Locked<ManualLatch?>(nil)

        func peers() -> RevocationPeers {
            RevocationPeers(
                key: key, clock: time.clock.wall, logger: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() },
                sleep: time.sleep
            ) { [self] request in
                let url = request.url.text
                let message = key.open(request.body ?? [], at: time.clock.now)
                let numbers = message?.revocations.map { Int($0.subscriber.bytes[6]) } ?? []
                sent.withLock { $0[url, default: []].append(numbers) }
                if url == RevocationPeersTests.first { await latch.withLock { $0 }?.pass() }
                let status = statuses.withLock { $0[url] ?? 204 }
                if status == 0 { throw HTTPFailure.timedOut }
                return OutboundResponse(status: status, headers: [], body: [])
            }
        }

        func sent(to url: String) -> [Int] { sent.withLock { $0[url] ?? [] }.flatMap(\.self) }
    }

    private static let (first, second) = ("http://192.0.2.1:9090/revocations", "http://192.0.2.2:9090/revocations")

    private func revocation(_ number: UInt8) -> Revocation {
        Revocation(
            publication: PublicationID("daily")!, subscriber: SubscriberPseudonym(bytes: [0, 0, 0, 0, 0, 0, number])!,
            session: nil, before: Date(timeIntervalSince1970: 1_793_534_400))
    }

    private func report(_ number: Int, url: String?, started: TimeInterval = 0) -> NodeReport {
        let start = Date(timeIntervalSince1970: 1_793_534_400 + started)
        return NodeReport(
            node: NodeIdentity(id: [UInt8(number)], name: "node \(number)", version: "1", started: start, url: url),
            heard: start, behind: 0, isDraining: false, slots: [:])
    }

    private var both: [NodeReport] { (1...2).map { report($0, url: "http://192.0.2.\($0):9090") } }

    /// Runs the peers of a node that knows two others.
    private func withPeers(_ body: (Network, RevocationPeers) async throws -> Void) async throws {
        let network = Network()
        let peers = network.peers()
        peers.update(both)
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask { await peers.run() }
            try await body(network, peers)
            group.cancelAll()
        }
    }

    @Test("Every live node with a URL has a revocation when the announcement returns")
    func all() async throws {
        try await withPeers { network, peers in
            peers.update(both + [report(3, url: nil), report(4, url: "not a URL")])
            await peers.announce([revocation(1), revocation(2)])
            #expect(network.sent(to: Self.first) == [1, 2] && network.sent(to: Self.second) == [1, 2])
            peers.update([both[1]])
            await peers.announce([revocation(3)])
            #expect(network.sent(to: Self.first) == [1, 2] && network.sent(to: Self.second) == [1, 2, 3])
        }
    }

    @Test("Announcements during a request are sent together with the next one")
    func batches() async throws {
        try await withPeers { network, peers in
            let latch = ManualLatch()
            network.latch.withLock { $0 = latch }
            await withTaskGroup { group in
                group.addTask { await peers.announce([revocation(1)]) }
                await until { latch.waiting == 1 }
                for number: UInt8 in 2...9 {
                    group.addTask { await peers.announce([revocation(number)]) }
                    await until { network.sent(to: Self.second).count == Int(number) }
                }
                network.latch.withLock { $0 = nil }
                latch.open()
            }
            let sent = network.sent.withLock { $0[Self.first] ?? [] }
            #expect(sent == [[1], Array(2...9)])
        }
    }

    @Test("An announcement does not wait longer than a quarter of a second for a slow node, which gets it later")
    func slowNode() async throws {
        try await withPeers { network, peers in
            let latch = ManualLatch()
            network.latch.withLock { $0 = latch }
            let announcement = Task { await peers.announce([revocation(1)]) }
            // The pause of the service and the time limit of the announcement.
            await until { latch.waiting == 1 && network.time.sleeping == 2 }
            network.time.advance(by: RevocationPeers.announcementTimeout)
            await announcement.value
            #expect(network.sent(to: Self.second) == [1])
            latch.open()
        }
    }

    @Test(
        "Nothing waits for a node that cannot be reached or rejects messages, and it gets everything once it accepts them",
        arguments: [0, 403, 500])
    func failing(status: Int) async throws {
        try await withPeers { network, peers in
            network.statuses.withLock { $0[Self.first] = status }
            for number: UInt8 in 1...3 { await peers.announce([revocation(number)]) }
            #expect(network.sent(to: Self.second) == [1, 2, 3])
            #expect(network.sent(to: Self.first) == [1])
            // A later heartbeat of the same process changes nothing.
            peers.update(both)
            network.statuses.withLock { $0 = [:] }
            await until { network.time.sleeping == 1 }
            network.time.advance(by: RevocationPeers.pause)
            await until { network.sent(to: Self.first) == [1, 1, 2, 3] }
            await peers.announce([revocation(4)])
            await until { network.sent(to: Self.first) == [1, 1, 2, 3, 4] }
        }
    }

    @Test("A node that is replaced while a message is on its way gets each later revocation once")
    func replaced() async throws {
        try await withPeers { network, peers in
            let latch = ManualLatch()
            network.latch.withLock { $0 = latch }
            let announcement = Task { await peers.announce([revocation(1)]) }
            await until { latch.waiting == 1 }
            network.latch.withLock { $0 = nil }
            // The same process, whose row was deleted for a moment.
            peers.update([both[1]])
            await announcement.value
            peers.update(both)
            await peers.announce([revocation(2)])
            latch.open()
            for number: UInt8 in 3...4 { await peers.announce([revocation(number)]) }
            #expect(network.sent(to: Self.first) == [1, 2, 3, 4])
            #expect(network.sent(to: Self.second) == [1, 2, 3, 4])
        }
    }

    @Test("What waits when the server stops is sent once more")
    func stopping() async throws {
        let network = Network()
        let peers = network.peers()
        peers.update(both)
        // Nothing is sent before the service runs.
        let announcement = Task { await peers.announce([revocation(1)]) }
        await until { network.time.sleeping == 1 }
        await Task {
            withUnsafeCurrentTask { $0?.cancel() }
            await peers.run()
        }.value
        await announcement.value
        #expect(network.sent(to: Self.first) == [1] && network.sent(to: Self.second) == [1])
    }

    @Test("A message that was on its way when the server stopped is sent once more")
    func stoppingDuringMessage() async throws {
        let sent = Locked(0)
        let time = ManualTime()
        let peers = RevocationPeers(
            key: PseudonymKey(Secret(Array(repeating: 1, count: 32))), clock: time.clock.wall,
            logger: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }, sleep: time.sleep
        ) { _ in
            if sent.withLock({
                $0 += 1; return $0
            }) == 1 {
                try await time.sleep(1_000)
            }
            return OutboundResponse(status: 204, headers: [], body: [])
        }
        peers.update([both[0]])
        let service = Task { await peers.run() }
        let announcement = Task { await peers.announce([revocation(1)]) }
        // The pause of the service, the time limit of the announcement, and the response.
        await until { time.sleeping == 3 }
        service.cancel()
        await service.value
        await announcement.value
        #expect(sent.withLock { $0 } == 2)
    }

    @Test("A restarted node gets later revocations only, because it has read the earlier ones")
    func restarted() async throws {
        try await withPeers { network, peers in
            network.statuses.withLock { $0[Self.first] = 0 }
            await peers.announce([revocation(1)])
            network.statuses.withLock { $0 = [:] }
            peers.update([report(1, url: "http://192.0.2.1:9090", started: 1), both[1]])
            await peers.announce([revocation(2)])
            #expect(network.sent(to: Self.first) == [1, 2])
        }
    }
}
