import Foundation
import Gatefold
import Logging
import Metrics
import Primitives
import Resilience
import ServiceLifecycle
import State
import Synchronization

/// The membership of this server in the nodes of a state. A heartbeat each second tells the others that it is alive and
/// divides the concurrency limits of the backends among all live nodes.
final class NodeMembership: Service {
    /// The part of a limit that this node uses.
    struct Usage: Sendable {
        let backend: String
        /// The limit of all nodes together.
        let limit: Int
        /// The number of calls that this node limits itself to.
        let allowed: Int
        /// The number of calls in progress.
        let running: Int
    }

    private struct State {
        var watch = NodeWatch()
        var isDraining = false
        /// A Boolean value that indicates whether the last heartbeat failed.
        var hasFailed = false
    }

    /// The pause in seconds between two heartbeats, and between two while a share moves to another node.
    private static let pause: TimeInterval = 1
    private static let shortPause: TimeInterval = 0.1
    /// The maximum number of seconds for which a starting node waits for its shares.
    private static let joinTimeout: TimeInterval = 5
    /// The number of seconds after which the row of a lost node is deleted.
    private static let removalInterval: TimeInterval = 3600

    let node: NodeIdentity
    let shares: SlotShares
    private let store: any NodeStore
    private let clock: WallClock
    private let backends: @Sendable () -> [ProtectedBackend]
    private let behind: @Sendable () -> TimeInterval
    private let sleep: @Sendable (TimeInterval) async throws -> Void
    private let logger: Logger
    private let state = Mutex(State())

    /// - Parameters:
    ///   - clock: The clock of the state.
    ///   - behind: Returns the number of seconds since this node last had all revocations.
    ///   - backends: Returns the backends in force.
    init(
        _ node: NodeIdentity, store: any NodeStore, shares: SlotShares, clock: WallClock, logger: Logger,
        behind: @escaping @Sendable () -> TimeInterval,
        sleep: @escaping @Sendable (TimeInterval) async throws -> Void = { try await Task.sleep(for: .seconds($0)) },
        backends: @escaping @Sendable () -> [ProtectedBackend]
    ) {
        self.node = node
        self.store = store
        self.shares = shares
        self.clock = clock
        self.logger = logger
        self.behind = behind
        self.sleep = sleep
        self.backends = backends
    }

    /// A Boolean value that indicates whether an operator drains this node.
    var isDraining: Bool { state.withLock { $0.isDraining } }

    /// Reports this node until it has a share of each limit.
    func join() async throws {
        let start = clock.elapsed
        repeat {
            try await beat()
            if backends().allSatisfy({ shares.slots(of: $0.name) > 0 }) { return }
            try await sleep(Self.shortPause)
        } while clock.elapsed - start < Self.joinTimeout
    }

    func run() async throws {
        await cancelWhenGracefulShutdown { await self.beatRepeatedly() }
        // An unstructured task is not cancelled together with this task.
        await Task { try? await self.store.removeNode(self.node.id) }.value
    }

    private func beatRepeatedly() async {
        while !Task.isCancelled {
            var pause = Self.pause
            do {
                if try await beat() { pause = Self.shortPause }
                if setFailed(false) { logger.notice("Heartbeat stored again") }
            } catch is CancellationError {
                return
            } catch {
                // /readyz and the revocation follower report the store's failure.
                if !setFailed(true) {
                    logger.error("Heartbeat not stored", metadata: ["cause": "\(StateHealth.cause(error))"])
                }
            }
            do { try await sleep(pause) } catch { return }
        }
    }

    /// Records whether the last heartbeat failed.
    ///
    /// - Returns: Whether the one before failed.
    private func setFailed(_ hasFailed: Bool) -> Bool {
        state.withLock { state in
            defer { state.hasFailed = hasFailed }
            return state.hasFailed
        }
    }

    /// Reports this node, and takes its share of each limit.
    ///
    /// - Returns: Whether another node waits for a part of this node's share.
    @discardableResult
    func beat() async throws -> Bool {
        let backends = backends()
        let usages = backends.map { backend in
            Usage(
                backend: backend.name, limit: backend.clusterLimit, allowed: shares.slots(of: backend.name),
                running: backend.status.inUse)
        }
        // Measured before the request, so that this node never uses the share longer than the others leave it.
        let start = clock.elapsed
        let watch = state.withLock { $0.watch }
        let reports = try await store.heartbeat(node, behind: behind()) { [node] others in
            Self.claims(of: usages, node: node.id, others, watch, at: start).mapValues(\.claimed)
        }
        let others = reports.filter { $0.node.id != node.id }
        let claims = Self.claims(of: usages, node: node.id, others, watch, at: start)
        shares.set(claims.mapValues(\.allowed), until: start + NodeWatch.shareLifetime)
        for backend in backends { backend.didIncreaseSlots() }
        state.withLock { state in
            state.watch.record(others, at: start)
            state.isDraining = reports.first { $0.node.id == node.id }?.isDraining ?? false
        }
        measure(others.count { watch.isLive($0, at: start) } + 1, claims)
        await forget(others.filter { !watch.isLive($0, at: start) })
        return claims.values.contains { $0.claimed > $0.allowed }
    }

    /// Returns the claims of this node.
    static func claims(
        of usages: [Usage], node: [UInt8], _ others: [NodeReport], _ watch: NodeWatch, at elapsed: TimeInterval
    ) -> [String: SlotClaim] {
        let live = others.filter { watch.isLive($0, at: elapsed) }
        let position = live.count { $0.node.id.lexicographicallyPrecedes(node) }
        return usages.reduce(into: [:]) { claims, usage in
            claims[usage.backend] = SlotClaim(
                limit: usage.limit, allowed: usage.allowed, running: usage.running,
                others: live.reduce(0) { $0 + $1.slots[usage.backend, default: 0] }, position: position,
                nodes: live.count + 1, lost: others.count - live.count)
        }
    }

    /// Deletes the rows of nodes that have been lost for long. Until then each may still make one call at a time.
    private func forget(_ lost: [NodeReport]) async {
        for report in lost where clock.now.timeIntervalSince(report.heard) > Self.removalInterval {
            try? await store.removeNode(report.node.id)
        }
    }

    private func measure(_ live: Int, _ claims: [String: SlotClaim]) {
        Gauge(label: "gatefold_nodes_live").record(live)
        for (backend, claim) in claims {
            Gauge(label: "gatefold_backend_slots", dimensions: [("backend", backend)]).record(claim.allowed)
        }
    }
}
