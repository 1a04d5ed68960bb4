import Commerce
import Foundation
import Gatefold

/// The invariants, checked against what readers and the publisher's systems observe.
///
/// - A session is not accepted later than two seconds after its acknowledged end, at any node, nor later than seven seconds
///   after the return of what was away: a call that hangs when it returns ends after four, and for one more second the
///   node takes the database to be away.
/// - The same holds for a suspended reader, from the first response that says so.
/// - A node that has rejected a session never accepts it again.
/// - A session that nobody ended is never rejected, a right password is never rejected, and a sign-out never fails.
/// - No more wrong passwords are revealed than the limit, except by a node that cannot reach the database. A reader never
///   has more devices than the limit. The subscriber system never has more calls than its limit.
/// - No delivery is claimed while another worker holds it, or after it was recorded as delivered.
///
/// A failover that loses acknowledged commits releases from the obligations that it may have lost.
final class Checks: Sendable {
    final class ReaderSession: Sendable {
        let client: Int
        let token: String
        nonisolated(unsafe) var isEndRequested = false
        /// The time at which the sign-out was acknowledged, and by which node.
        nonisolated(unsafe) var end: (time: TimeInterval, node: Int)?
        /// Whether the end may have been lost.
        nonisolated(unsafe) var isVoid = false
        nonisolated(unsafe) var rejectedBy: [(life: NodeLife, time: TimeInterval)] = []

        init(client: Int, token: String) {
            self.client = client
            self.token = token
        }
    }

    private struct Claim {
        let lease: [UInt8]
        /// The time at which the worker learned of its claim.
        let known: TimeInterval
        let end: TimeInterval
        let life: NodeLife
    }

    /// The bound for changes while nothing is away, and after the return of what was away, in seconds.
    static let bound: TimeInterval = 2
    static let boundAfterReturn: TimeInterval = 7
    /// The number of seconds by which a lease may seem longer than it is: the clocks of two primaries differ.
    private static let leaseTolerance: TimeInterval = 1

    let simulation: Simulation
    let troubles = Troubles()
    nonisolated(unsafe) var tally: [String: Int] = [:]
    nonisolated(unsafe) private var suspended: [Int: TimeInterval] = [:]
    /// The responses that told a reader of the suspension.
    nonisolated(unsafe) private var denials: [Int: [(time: TimeInterval, node: Int)]] = [:]
    nonisolated(unsafe) private var revealed = 0
    nonisolated(unsafe) private var calls: [Int: NodeLife] = [:]
    nonisolated(unsafe) private var lastCall = 0
    nonisolated(unsafe) private var claims: [Delivery.ID: [Claim]] = [:]
    nonisolated(unsafe) private var done: [Delivery.ID: TimeInterval] = [:]

    init(_ simulation: Simulation) { self.simulation = simulation }

    private func count(_ outcome: String) { tally[outcome, default: 0] += 1 }

    // MARK: Sessions

    /// - Parameter start: The time at which the request reached the node.
    func verified(
        _ session: ReaderSession, by life: NodeLife, from start: TimeInterval, _ result: VerificationResult
    ) {
        switch result.subscription.state {
        case .active: accepted(session, by: life, from: start)
        case .suspended:
            count("suspended")
            let reader = session.client / Plan.devicesPerReader
            guard suspended[reader] != nil else {
                return simulation.violate("reader \(reader) is rejected as suspended, but is not")
            }
            denials[reader, default: []].append((simulation.now, life.node))
        case .unknown:
            count("rejected")
            guard session.isEndRequested else {
                return simulation.violate("a session of device \(session.client) is rejected, but nobody ended it")
            }
            session.rejectedBy.append((life, simulation.now))
        case let state:
            simulation.violate("a session of device \(session.client) has the state \(state)")
        }
    }

    private func accepted(_ session: ReaderSession, by life: NodeLife, from start: TimeInterval) {
        count("accepted")
        let node = life.node
        if session.rejectedBy.contains(where: { $0.life === life && $0.time < start }) {
            simulation.violate("node \(node) accepts a session of device \(session.client) that it has rejected")
        }
        if let end = session.end, !session.isVoid {
            if session.rejectedBy.contains(where: { $0.life.node == node && $0.time > end.time && $0.time < start }) {
                simulation.violate(
                    "node \(node) accepts a session of device \(session.client) that it rejected before its restart")
            }
            // In an outage the sign-out is in the journal of its node, which writes it to the state later.
            let isJournaled = !troubles.isCalm(from: end.time - 12, to: end.time, node: end.node)
            let calm = troubles.calmSince(start, node: isJournaled ? nil : node)
            if start > due(after: end.time, calmSince: calm) {
                simulation.violate(
                    "node \(node) accepts a session of device \(session.client) that ended at \(end.time)")
            }
        }
        let reader = session.client / Plan.devicesPerReader
        // The first response of a node that could tell the others.
        let denial = denials[reader]?.first {
            troubles.isCalm(
                from: $0.time - Self.boundAfterReturn, to: min($0.time + 3, start), node: $0.node, slownessCounts: true)
        }
        if let denial {
            let calm = troubles.calmSince(start, node: node, slownessCounts: true)
            if start > due(after: denial.time, calmSince: calm) {
                simulation.violate(
                    "node \(node) accepts reader \(reader), whom node \(denial.node) rejected at \(denial.time)")
            }
        }
    }

    private func due(after time: TimeInterval, calmSince calm: TimeInterval) -> TimeInterval {
        max(time + Self.bound, calm + Self.boundAfterReturn)
    }

    func suspend(_ reader: Int) { if suspended[reader] == nil { suspended[reader] = simulation.now } }

    func signInRejected(_ reason: SignInRejection.Reason) {
        switch reason {
        case .tooManyDevices: count("too many devices")
        default: simulation.violate("a right password is rejected: \(reason)")
        }
    }

    // MARK: Limits

    /// - Parameter start: The time at which the request reached the node.
    func rejectedPassword(_ result: SignInResult, at node: Int, from start: TimeInterval) {
        guard case .rejected(let rejection) = result else {
            return simulation.violate("a wrong password is accepted")
        }
        guard rejection.reason == .rejected else { return count("throttled") }
        count("wrong passwords")
        // A node that cannot reach the database counts for itself.
        guard troubles.isCalm(from: start - Self.boundAfterReturn, to: simulation.now, node: node) else { return }
        revealed += 1
        if revealed > NodeProcess.maxWrongPasswords { simulation.violate("\(revealed) wrong passwords were revealed") }
    }

    /// - Returns: The number of the call.
    func beginCall(by life: NodeLife) -> Int {
        count("backend calls")
        lastCall += 1
        calls[lastCall] = life
        let running = calls.values.count { !$0.hasEnded }
        if running > PublisherSystem.maxConcurrent {
            simulation.violate("the subscriber system has \(running) calls at the same time")
        }
        return lastCall
    }

    func endCall(_ number: Int) { calls[number] = nil }

    // MARK: Deliveries

    /// - Parameter start: The time at which the worker sent its claim.
    func claimed(
        _ id: Delivery.ID, lease: [UInt8], from start: TimeInterval, for seconds: TimeInterval, by life: NodeLife
    ) {
        count("claims")
        let now = simulation.now
        if let time = done[id], time < start {
            simulation.violate("delivery \(id) is claimed although it was delivered")
        }
        if let other = claims[id]?.first(where: { $0.known < start && $0.end - Self.leaseTolerance > now }) {
            simulation.violate(
                "node \(life.node) claims delivery \(id), which node \(other.life.node) holds until \(other.end)")
        }
        claims[id, default: []].append(Claim(lease: lease, known: now, end: start + seconds, life: life))
    }

    func released(_ id: Delivery.ID, lease: [UInt8]) { claims[id]?.removeAll { $0.lease == lease } }

    func delivered(_ id: Delivery.ID) {
        count("delivered")
        done[id] = done[id] ?? simulation.now
    }

    // MARK: Loss

    /// Notes that acknowledged commits were lost.
    func lose(_ sessions: [ReaderSession]) {
        for session in sessions where session.isEndRequested { session.isVoid = true }
        denials = [:]
        revealed = .min / 2
        claims = [:]
        done = [:]
    }
}
