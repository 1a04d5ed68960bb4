import Foundation
import Gatefold
import Logging
import Metrics
import OutgoingRequests
import Primitives
import ServiceLifecycle
import State
import Synchronization

/// The other live nodes of the state, to which this node announces a revocation before it acknowledges it.
///
/// A revocation is therefore in force on all nodes that can be reached when its caller gets the response, also while the
/// state is unavailable. A node that could not be reached gets the revocation when it can be, and also reads it from the
/// state.
final class RevocationPeers: Service {
    private struct Waiting {
        let revocation: Revocation
        /// Resolved when the node has the revocation or cannot be reached.
        let promise: OneShotPromise<Void>?
    }

    private struct Peer {
        let node: NodeIdentity
        let url: ServiceURL
        /// The revocations that the node has not accepted, the oldest first.
        var waiting: [Waiting] = []
        var isSending = false
        /// The monotonic time of the next attempt, because the last one failed; nil if it succeeded.
        var retryAt: TimeInterval?
    }

    /// The maximum time in seconds that an acknowledgement waits for the other nodes.
    static let announcementTimeout: TimeInterval = 0.25
    /// The maximum time in seconds of a request. It is longer, so that a node in another region is reached.
    static let timeout: TimeInterval = 2
    /// The number of seconds between two attempts to reach a node.
    static let pause: TimeInterval = 1
    /// The maximum number of revocations that wait for one node. Further ones reach it through the state only.
    static let capacity = 100_000
    /// The path on the admin listener that accepts messages.
    static let path = "/revocations"

    private let key: PseudonymKey
    private let clock: WallClock
    private let logger: Logger
    private let sleep: Sleep
    private let send: @Sendable (OutboundRequest) async throws -> OutboundResponse
    private let peers = Mutex<[[UInt8]: Peer]>([:])
    /// Wakes the service.
    private let signals = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))

    /// - Parameters:
    ///   - key: The secret of the state, which seals the messages.
    ///   - clock: The clock of the state.
    ///   - sleep: Waits for a number of seconds.
    ///   - send: Sends a request to another node.
    init(
        key: PseudonymKey, clock: WallClock, logger: Logger,
        sleep: @escaping Sleep = { try await Task.sleep(for: .seconds($0)) },
        send: @escaping @Sendable (OutboundRequest) async throws -> OutboundResponse = RevocationPeers.client()
    ) {
        self.key = key
        self.clock = clock
        self.logger = logger
        self.sleep = sleep
        self.send = send
    }

    private static func client() -> @Sendable (OutboundRequest) async throws -> OutboundResponse {
        var settings = OutgoingHTTPSettings()
        settings.connectTimeout = timeout
        settings.timeout = timeout
        settings.maxResponseSize = 1 << 10
        let http = OutgoingHTTP(settings)
        return { try await http.send($0) }
    }

    /// Sets the other live nodes. Nothing is announced to a node without a URL.
    func update(_ live: [NodeReport]) {
        let removed = peers.withLock { peers -> [Waiting] in
            let known = peers
            peers = live.reduce(into: [:]) { peers, report in
                guard let url = report.node.url.flatMap({ ServiceURL($0 + Self.path) }) else { return }
                let before = known[report.node.id].flatMap { $0.node == report.node ? $0 : nil }
                peers[report.node.id] = before ?? Peer(node: report.node, url: url)
            }
            return known.filter { peers[$0.key]?.node != $0.value.node }.values.flatMap(\.waiting)
        }
        Self.resolve(removed)
        Gauge(label: "gatefold_peers").record(peers.withLock { $0.count })
    }

    /// Announces revocations to the other nodes, and waits until each has accepted them, for at most ``announcementTimeout``. A node
    /// that did not respond to the last attempt is not waited for.
    func announce(_ revocations: [Revocation]) async {
        let promises = peers.withLock { peers in
            peers.keys.compactMap { id -> OneShotPromise<Void>? in
                guard let peer = peers[id], peer.waiting.count + revocations.count <= Self.capacity else { return nil }
                let promise = peer.retryAt == nil ? OneShotPromise<Void>() : nil
                for (index, revocation) in revocations.enumerated() {
                    peers[id]?.waiting.append(
                        Waiting(revocation: revocation, promise: index == revocations.count - 1 ? promise : nil))
                }
                return promise
            }
        }
        signals.continuation.yield()
        if promises.isEmpty { return }
        let end = { @Sendable in for promise in promises { promise.resolve(.success(())) } }
        let timer = Task { [sleep] in
            try await sleep(Self.announcementTimeout)
            end()
        }
        defer { timer.cancel() }
        for promise in promises { try? await promise.wait(onCancel: end) }
    }

    /// Sends what waits, until the server stops.
    func run() async {
        await cancelWhenGracefulShutdown {
            await withDiscardingTaskGroup { group in
                group.addTask {
                    while (try? await self.sleep(Self.pause)) != nil { self.signals.continuation.yield() }
                }
                for await _ in self.signals.stream {
                    for id in self.begin() { group.addTask { await self.sendAll(to: id) } }
                }
            }
        }
        Self.resolve(peers.withLock { $0.values.flatMap(\.waiting) })
    }

    /// Returns the nodes to which something can be sent now, and marks them.
    private func begin() -> [[UInt8]] {
        let elapsed = clock.elapsed
        return peers.withLock { peers in
            let due = peers.filter { _, peer in
                !peer.isSending && !peer.waiting.isEmpty && (peer.retryAt ?? elapsed) <= elapsed
            }
            for id in due.keys { peers[id]?.isSending = true }
            return Array(due.keys)
        }
    }

    private func sendAll(to id: [UInt8]) async {
        while true {
            guard let peer = peers.withLock({ $0[id] }) else { return }
            let batch = peer.waiting.prefix(PeerMessage.maxRevocations)
            if batch.isEmpty {
                peers.withLock { $0[id]?.isSending = false }
                // Something may have been added in between.
                signals.continuation.yield()
                return
            }
            let failure = await send(batch.map(\.revocation), to: peer)
            let done = peers.withLock { peers -> [Waiting] in
                // Another process of the node has an empty queue.
                guard peers[id]?.node == peer.node else { return [] }
                peers[id]?.retryAt = failure.map { _ in clock.elapsed + Self.pause }
                if failure == nil {
                    peers[id]?.waiting.removeFirst(batch.count)
                    return Array(batch)
                }
                peers[id]?.isSending = false
                return peers[id]?.waiting ?? []
            }
            report(failure, peer)
            Self.resolve(done)
            if failure != nil { return }
        }
    }

    /// - Returns: The cause if the node did not accept the revocations.
    private func send(_ revocations: [Revocation], to peer: Peer) async -> String? {
        do {
            let headers = [OutboundRequest.Header(name: "Content-Type", value: "application/octet-stream")]
            let body = try key.seal(PeerMessage(revocations, sentAt: clock.now))
            let response = try await send(
                OutboundRequest(method: "POST", url: peer.url, headers: headers, body: body, isRepeatable: true))
            return response.status == 204 ? nil : "status \(response.status)"
        } catch {
            return "\(error)"
        }
    }

    private static func resolve(_ waiting: [Waiting]) {
        for one in waiting { one.promise?.resolve(.success(())) }
    }

    /// Counts an attempt, and logs the first failure and the first success after it.
    private func report(_ failure: String?, _ before: Peer) {
        Counter(
            label: "gatefold_peer_messages_total", dimensions: [("result", failure == nil ? "accepted" : "failed")]
        ).increment()
        if let failure, before.retryAt == nil {
            logger.warning(
                "Revocations not announced to a node, which reads them from the state",
                metadata: ["node": "\(before.node.name)", "cause": "\(failure)"])
        } else if failure == nil, before.retryAt != nil {
            logger.notice("Revocations announced to a node again", metadata: ["node": "\(before.node.name)"])
        }
    }
}
