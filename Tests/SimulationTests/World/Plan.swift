import Foundation
import TestSupport

/// What readers, operators and accidents do in one run, and the seed of the order of its steps and of all latencies. A
/// failing plan is shortened.
struct Plan: Sendable, CustomStringConvertible {
    enum Event: Sendable, CustomStringConvertible {
        /// A reader's device signs in with the right password.
        case signIn(client: Int, node: Int)
        case verify(client: Int, node: Int)
        case signOut(client: Int, node: Int)
        /// The publisher suspends a reader.
        case suspend(reader: Int)
        /// Somebody signs in with a wrong password.
        case wrongPassword(node: Int)
        case order(number: Int, node: Int)
        case crash(node: Int, down: TimeInterval)
        case pause(node: Int, duration: TimeInterval)
        /// The node and the database cannot reach each other.
        case partition(node: Int, duration: TimeInterval)
        case backendAway(duration: TimeInterval)
        /// The primary fails, and the standby takes over.
        case failover(down: TimeInterval, clockOffset: TimeInterval, loss: TimeInterval?)
        /// The standby confirms late, and not in the order of the commits.
        case slowCommits(duration: TimeInterval)
        /// Connections end between a commit and its response.
        case lostResponses(duration: TimeInterval)

        var description: String {
            switch self {
            case .signIn(let client, let node): "device \(client) signs in at node \(node)"
            case .verify(let client, let node): "device \(client) verifies at node \(node)"
            case .signOut(let client, let node): "device \(client) signs out at node \(node)"
            case .suspend(let reader): "reader \(reader) is suspended"
            case .wrongPassword(let node): "wrong password at node \(node)"
            case .order(let number, let node): "order \(number) at node \(node)"
            case .crash(let node, let down): "node \(node) crashes and starts again after \(down) s"
            case .pause(let node, let duration): "node \(node) is paused for \(duration) s"
            case .partition(let node, let duration): "node \(node) cannot reach the database for \(duration) s"
            case .backendAway(let duration): "the backend is away for \(duration) s"
            case .failover(let down, let offset, let loss):
                "failover, away for \(down) s, clock \(offset) s, \(loss.map { "loses \($0) s" } ?? "no loss")"
            case .slowCommits(let duration): "slow commits for \(duration) s"
            case .lostResponses(let duration): "lost responses of commits for \(duration) s"
            }
        }
    }

    static let nodes = 3
    /// Each reader has as many devices, and may use one less.
    static let devicesPerReader = 3
    static let readers = 4
    static var clients: Int { readers * devicesPerReader }
    /// The time of the last planned event.
    static let lastEvent: TimeInterval = 20
    /// The time at which all faults have ended for long.
    static let calm: TimeInterval = 39
    static let end: TimeInterval = 40

    let seed: UInt64
    /// The seed of the order and the latencies.
    var schedule: UInt64
    /// The seconds by which the clock of each node is ahead.
    var skews: [TimeInterval]
    var events: [(time: TimeInterval, event: Event)]

    var description: String {
        (["seed \(seed), clocks of the nodes \(skews.map { "\($0) s" }.joined(separator: ", "))"]
            + events.map { "\(String(format: "%7.3f", $0.time)) \($0.event)" }).joined(separator: "\n")
    }

    init(seed: UInt64) {
        self.seed = seed
        schedule = seed
        var random = SeededRandom(seed: seed &* 2 &+ 1)
        func number(_ range: ClosedRange<TimeInterval>) -> TimeInterval {
            (TimeInterval.random(in: range, using: &random) * 1_000).rounded() / 1_000
        }
        func node() -> Int { Int.random(in: 0..<Self.nodes, using: &random) }
        func client() -> Int { Int.random(in: 0..<Self.clients, using: &random) }
        func isChosen(_ percent: Int) -> Bool { Int.random(in: 0..<100, using: &random) < percent }
        skews = (0..<Self.nodes).map { _ in [0, 300, -300][Int.random(in: 0..<3, using: &random)] }
        var events: [(time: TimeInterval, event: Event)] = []
        // Two devices of each reader sign in early, and the third one tries.
        for client in 0..<Self.clients { events.append((number(1...4), .signIn(client: client, node: node()))) }
        for _ in 0..<70 { events.append((number(3...Self.lastEvent), .verify(client: client(), node: node()))) }
        for _ in 0..<4 { events.append((number(6...Self.lastEvent), .signIn(client: client(), node: node()))) }
        for _ in 0..<5 { events.append((number(5...Self.lastEvent), .signOut(client: client(), node: node()))) }
        // Several sign-outs at the same time, some of them while commits are slow.
        if isChosen(70) {
            let time = number(5...18)
            if isChosen(70) { events.append((time - 0.2, .slowCommits(duration: number(1...4)))) }
            for client in 0..<Self.clients where isChosen(60) {
                events.append((time + number(0...0.9), .signOut(client: client, node: node())))
            }
        }
        for reader in 0..<Self.readers where isChosen(25) {
            let time = number(8...16)
            events.append((time, .suspend(reader: reader)))
            for device in 0..<Self.devicesPerReader {
                let client = reader * Self.devicesPerReader + device
                for _ in 0..<3 { events.append((time + number(-3...4), .verify(client: client, node: node()))) }
            }
        }
        if isChosen(60) {
            let time = number(3...20)
            for node in 0..<Self.nodes {
                for _ in 0..<3 { events.append((time + number(0...0.05), .wrongPassword(node: node))) }
            }
            for _ in 0..<3 { events.append((number(3...Self.lastEvent), .wrongPassword(node: node()))) }
        }
        if isChosen(60) {
            for order in 0..<4 { events.append((number(2...10), .order(number: order, node: node()))) }
        }
        for _ in 0..<Int.random(in: 0...5, using: &random) {
            let time = number(3...Self.lastEvent)
            switch Int.random(in: 0..<8, using: &random) {
            case 0, 1: events.append((time, .crash(node: node(), down: number(0.2...6))))
            case 2: events.append((time, .pause(node: node(), duration: number(0.5...9))))
            case 3: events.append((time, .partition(node: node(), duration: number(0.5...8))))
            case 4: events.append((time, .backendAway(duration: number(1...10))))
            case 5:
                events.append(
                    (
                        time,
                        .failover(
                            down: number(0.5...5), clockOffset: number(-0.2...0.2),
                            loss: isChosen(25) ? number(0.1...1) : nil)
                    ))
            case 6: events.append((time, .slowCommits(duration: number(1...6))))
            default: events.append((time, .lostResponses(duration: number(1...6))))
            }
        }
        self.events = events.sorted { $0.time < $1.time }
    }
}
