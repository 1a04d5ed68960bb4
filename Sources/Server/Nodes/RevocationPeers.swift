import Foundation
import Gatefold
import Logging
import Metrics
import OutgoingRequests
import Primitives
import ServiceLifecycle
import State
import Synchronization

/// The other nodes of the state, to which this node announces a revocation before it acknowledges it.
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
        /// A number that no other value has, even one of the same node.
        let number: Int
        let node: NodeIdentity
        let url: ServiceURL
        /// The revocations that the node has not accepted, the oldest first.
        var waiting: [Waiting] = []
        var isSending = false
        /// The monotonic time of the next attempt, because the last one failed; nil if it succeeded.
        var retryAt: TimeInterval?
    }

    private struct State {
        var peers: [[UInt8]: Peer] = [:]
        var lastNumber = 0
    }

    /// A node to send to, by the key and the number of its value.
    private struct Destination: Sendable {
        let id: [UInt8]
        let number: Int
    }

    private struct Batch {
        let node: NodeIdentity
        let url: ServiceURL
        let waiting: [Waiting]
        let didFail: Bool
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
    private let state = Mutex(State())
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
        send: @escaping @Sendable (OutboundRequest) async throws -> OutboundResponse
    ) {
        self.key = key
        self.clock = clock
        self.logger = logger
        self.sleep = sleep
        self.send = send
    }

    /// - Parameter authorities: The PEM text of the authorities of the other nodes; nil for those of the system.
    static func client(
        trusting authorities: String?
    ) -> @Sendable (OutboundRequest) async throws -> OutboundResponse {
        var settings = OutgoingHTTPSettings()
        settings.connectTimeout = timeout
        settings.timeout = timeout
        settings.maxResponseSize = 1 << 10
        // The configuration has checked the text.
        if let authorities { _ = settings.trustOnly(authorities) }
        let http = OutgoingHTTP(settings)
        return { try await http.send($0) }
    }

    /// Sets the other nodes. Nothing is announced to a node without a URL.
    func update(_ nodes: [NodeReport]) {
        let (removed, count) = state.withLock { state -> ([Waiting], Int) in
            var known = state.peers
            state.peers = [:]
            for report in nodes {
                guard let url = report.node.url.flatMap({ ServiceURL($0 + Self.path) }) else { continue }
                if let before = known[report.node.id], before.node == report.node {
                    state.peers[report.node.id] = known.removeValue(forKey: report.node.id)
                } else {
                    state.lastNumber += 1
                    state.peers[report.node.id] = Peer(number: state.lastNumber, node: report.node, url: url)
                }
            }
            return (known.values.flatMap(\.waiting), state.peers.count)
        }
        Self.resolve(removed)
        Gauge(label: "gatefold_peers").record(count)
    }

    /// Announces revocations to the other nodes, and waits until each has accepted them, for at most
    /// ``announcementTimeout``. A node that did not respond to the last attempt is not waited for.
    func announce(_ revocations: [Revocation]) async {
        guard let last = revocations.last else { return }
        let promises = state.withLock { state in
            Array(state.peers.keys).compactMap { id -> OneShotPromise<Void>? in
                guard let count = state.peers[id]?.waiting.count, count + revocations.count <= Self.capacity else {
                    return nil
                }
                let promise = state.peers[id]?.retryAt == nil ? OneShotPromise<Void>() : nil
                for revocation in revocations.dropLast() {
                    state.peers[id]?.waiting.append(Waiting(revocation: revocation, promise: nil))
                }
                state.peers[id]?.waiting.append(Waiting(revocation: last, promise: promise))
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

    /// Sends what waits, until the server stops, and then makes one more attempt.
    func run() async {
        await cancelWhenGracefulShutdown {
            await withDiscardingTaskGroup { group in
                group.addTask {
                    while (try? await self.sleep(Self.pause)) != nil { self.signals.continuation.yield() }
                }
                for await _ in self.signals.stream {
                    for destination in self.begin() { group.addTask { await self.sendAll(to: destination) } }
                }
            }
        }
        // An unstructured task is not cancelled together with this task.
        await Task {
            await withDiscardingTaskGroup { group in
                for destination in self.begin(isLast: true) {
                    group.addTask { await self.sendAll(to: destination) }
                }
            }
        }.value
        Self.resolve(state.withLock { $0.peers.values.flatMap(\.waiting) })
    }

    /// Returns the nodes to which something can be sent now, and marks them.
    ///
    /// - Parameter isLast: Whether there is no later attempt. Nodes that failed before are then included.
    private func begin(isLast: Bool = false) -> [Destination] {
        let elapsed = clock.elapsed
        return state.withLock { state in
            let due = state.peers.keys.filter { id in
                guard let peer = state.peers[id] else { return false }
                return !peer.isSending && !peer.waiting.isEmpty && (isLast || (peer.retryAt ?? elapsed) <= elapsed)
            }
            return due.compactMap { id in
                state.peers[id]?.isSending = true
                return state.peers[id].map { Destination(id: id, number: $0.number) }
            }
        }
    }

    private func sendAll(to destination: Destination) async {
        while let batch = nextBatch(destination) {
            let failure = await send(batch.waiting.map(\.revocation), to: batch.url)
            let done = state.withLock { state -> [Waiting]? in
                // The node may have been replaced by another process of it, which has a queue and a sender of its own.
                guard state.peers[destination.id]?.number == destination.number else { return nil }
                state.peers[destination.id]?.retryAt = failure.map { _ in clock.elapsed + Self.pause }
                if failure == nil {
                    state.peers[destination.id]?.waiting.removeFirst(batch.waiting.count)
                    return batch.waiting
                }
                state.peers[destination.id]?.isSending = false
                return state.peers[destination.id]?.waiting
            }
            guard let done else { return }
            report(failure, batch)
            Self.resolve(done)
            if failure != nil { return }
        }
        // Something may have been added in between.
        signals.continuation.yield()
    }

    /// Returns what to send next. If there is nothing, another task may send to the node.
    private func nextBatch(_ destination: Destination) -> Batch? {
        state.withLock { state in
            guard let peer = state.peers[destination.id], peer.number == destination.number else { return nil }
            if peer.waiting.isEmpty {
                state.peers[destination.id]?.isSending = false
                return nil
            }
            return Batch(
                node: peer.node, url: peer.url, waiting: Array(peer.waiting.prefix(PeerMessage.maxRevocations)),
                didFail: peer.retryAt != nil)
        }
    }

    /// - Returns: The cause if the node did not accept the revocations.
    private func send(_ revocations: [Revocation], to url: ServiceURL) async -> String? {
        do {
            let headers = [OutboundRequest.Header(name: "Content-Type", value: "application/octet-stream")]
            let body = try key.seal(PeerMessage(revocations, sentAt: clock.now))
            let response = try await send(
                OutboundRequest(method: "POST", url: url, headers: headers, body: body, isRepeatable: true))
            return response.status == 204 ? nil : "status \(response.status)"
        } catch {
            return "\(error)"
        }
    }

    private static func resolve(_ waiting: [Waiting]) {
        for one in waiting { one.promise?.resolve(.success(())) }
    }

    /// Counts an attempt, and logs the first failure and the first success after it.
    private func report(_ failure: String?, _ batch: Batch) {
        Counter(
            label: "gatefold_peer_messages_total", dimensions: [("result", failure == nil ? "accepted" : "failed")]
        ).increment()
        if let failure, !batch.didFail {
            logger.warning(
                "Revocations not announced to a node, which reads them from the state",
                metadata: ["node": "\(batch.node.name)", "cause": "\(failure)"])
        } else if failure == nil, batch.didFail {
            logger.notice("Revocations announced to a node again", metadata: ["node": "\(batch.node.name)"])
        }
    }
}
