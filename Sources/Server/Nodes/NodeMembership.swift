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
    /// The use of a backend by this node.
    struct Usage: Sendable {
        let backend: String
        /// The limit of all nodes together.
        let limit: Int
        /// The number of calls of this node in progress.
        let running: Int
    }

    private struct State {
        var watch = NodeWatch()
        var isDraining = false
        /// A Boolean value that indicates whether the last heartbeat failed.
        var hasFailed = false
        /// The monotonic times since which this node has had no share of a backend's limit.
        var starved: [String: TimeInterval] = [:]
    }

    /// The pause in seconds between two heartbeats, and between two while a share moves to another node.
    private static let pause: TimeInterval = 1
    private static let shortPause: TimeInterval = 0.1
    /// The number of seconds that a node waits for a share before it makes one call at a time without one.
    static let joinTimeout: TimeInterval = 5
    /// The number of seconds after which the row of a lost node is deleted.
    static let removalInterval: TimeInterval = 3600

    let node: NodeIdentity
    let shares: SlotShares
    private let store: any NodeStore
    private let clock: WallClock
    private let usages: @Sendable () -> [Usage]
    private let didSetShares: @Sendable () -> Void
    private let didHear: @Sendable ([NodeReport]) -> Void
    private let behind: @Sendable () -> TimeInterval
    private let sleep: @Sendable (TimeInterval) async throws -> Void
    private let logger: Logger
    private let state = Mutex(State())

    /// - Parameters:
    ///   - clock: The clock of the state.
    ///   - behind: Returns the number of seconds since this node last had all revocations.
    ///   - usages: Returns the use of each backend in force.
    ///   - didSetShares: Called after the shares were set, so that waiting calls use them.
    ///   - didHear: Receives the other nodes that have used the state, after each heartbeat.
    init(
        _ node: NodeIdentity, store: any NodeStore, shares: SlotShares, clock: WallClock, logger: Logger,
        behind: @escaping @Sendable () -> TimeInterval,
        sleep: @escaping @Sendable (TimeInterval) async throws -> Void = { try await Task.sleep(for: .seconds($0)) },
        usages: @escaping @Sendable () -> [Usage], didSetShares: @escaping @Sendable () -> Void,
        didHear: @escaping @Sendable ([NodeReport]) -> Void = { _ in }
    ) {
        self.node = node
        self.store = store
        self.shares = shares
        self.clock = clock
        self.logger = logger
        self.behind = behind
        self.sleep = sleep
        self.usages = usages
        self.didSetShares = didSetShares
        self.didHear = didHear
    }

    /// A Boolean value that indicates whether an operator drains this node.
    var isDraining: Bool { state.withLock { $0.isDraining } }

    /// Reports this node until it has a share of each limit.
    func join() async throws {
        let start = clock.elapsed
        repeat {
            try await beat()
            if usages().allSatisfy({ shares.slots(of: $0.backend) > 0 }) { return }
            try await sleep(Self.shortPause)
        } while clock.elapsed - start < Self.joinTimeout
    }

    func run() async throws {
        await cancelWhenGracefulShutdown { await self.beatRepeatedly() }
        // An unstructured task is not cancelled together with this task.
        await Task { try? await self.leave() }.value
    }

    /// Gives the shares to the other nodes, unless another process of this node has reported itself since.
    func leave() async throws {
        let own = try await store.nodes().first { $0.node.isProcess(node) }
        if let own { try await store.removeNode(own) }
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
        let usages = usages()
        // Measured before the request, so that this node never uses the share longer than the others leave it.
        let start = clock.elapsed
        let (watch, starved) = state.withLock { ($0.watch, $0.starved) }
        let claims = { @Sendable [self] (others: [NodeReport]) in
            self.claims(of: usages, others, watch, starved: starved, at: start)
        }
        let reports = try await store.heartbeat(node, behind: behind()) { claims($0).mapValues(\.claimed) }
        let others = reports.filter { $0.node.id != node.id }
        let own = claims(others)
        shares.set(own.mapValues(\.allowed), until: start + NodeWatch.shareLifetime)
        didSetShares()
        // The reports are as old as the response, so a slow request makes no node seem lost.
        let seen = clock.elapsed
        let newlyStarved = state.withLock { state in
            state.watch.record(others, at: seen)
            state.isDraining = reports.first { $0.node.id == node.id }?.isDraining ?? false
            state.starved = own.filter { $0.value.allowed == 0 || isStarved($0.key, starved, at: start) }
                .reduce(into: [:]) { $0[$1.key] = starved[$1.key] ?? start }
            return own.keys.filter { isStarved($0, state.starved, at: seen) && !isStarved($0, starved, at: start) }
        }
        for backend in newlyStarved {
            logger.warning(
                "No share of a backend's concurrency limit; do all nodes have the same max_concurrent?",
                metadata: ["backend": "\(backend)"])
        }
        didHear(state.withLock { state in others.filter { state.watch.wasHeard($0) } })
        measure(others.count { watch.isLive($0, at: start) } + 1, own)
        await forget(others.filter { !watch.isLive($0, at: start) })
        return own.values.contains { $0.claimed > $0.allowed }
    }

    private func claims(
        of usages: [Usage], _ others: [NodeReport], _ watch: NodeWatch, starved: [String: TimeInterval],
        at elapsed: TimeInterval
    ) -> [String: SlotClaim] {
        let live = others.filter { watch.isLive($0, at: elapsed) }
        let position = live.count { $0.node.id.lexicographicallyPrecedes(node.id) }
        let hasUnknown = live.contains(where: \.hasUnknownSlots)
        return usages.reduce(into: [:]) { claims, usage in
            let allowed = shares.slots(of: usage.backend)
            let known = live.reduce(0) { $0 + $1.slots[usage.backend, default: 0] }
            claims[usage.backend] = SlotClaim(
                limit: usage.limit, allowed: allowed, running: usage.running,
                // A claim that is unreadable may be all that this node does not have.
                others: hasUnknown ? max(known, usage.limit - allowed) : known, position: position,
                nodes: live.count + 1, lost: others.count - live.count,
                isStarved: isStarved(usage.backend, starved, at: elapsed))
        }
    }

    private func isStarved(_ backend: String, _ starved: [String: TimeInterval], at elapsed: TimeInterval) -> Bool {
        starved[backend].map { elapsed - $0 >= Self.joinTimeout } ?? false
    }

    /// Deletes the rows of nodes that have been lost for long. Until then each may still make one call at a time.
    private func forget(_ lost: [NodeReport]) async {
        for report in lost where clock.now.timeIntervalSince(report.heard) > Self.removalInterval {
            try? await store.removeNode(report)
        }
    }

    private func measure(_ live: Int, _ claims: [String: SlotClaim]) {
        Gauge(label: "gatefold_nodes_live").record(live)
        for (backend, claim) in claims {
            Gauge(label: "gatefold_backend_slots", dimensions: [("backend", backend)]).record(claim.allowed)
        }
    }
}

extension NodeMembership.Usage {
    init(_ backend: ProtectedBackend) {
        self.init(backend: backend.name, limit: backend.clusterLimit, running: backend.status.inUse)
    }
}
