/// The messages that a publisher has for a broker, and what it does at each event of its connections: values in, actions
/// out, no I/O.
///
/// Each message is published at least once (quality of service 1): it is kept until the broker has acknowledged it, and
/// published again over the next connection where it had not. While the broker is away they wait, up to a limit; beyond it
/// the oldest is dropped for each new one.
package struct MQTTOutbox: Sendable {
    package enum Action: Sendable, Hashable {
        case send(MQTTPacket)
        /// The broker takes messages: ``flush()`` says which.
        case flush
        /// So many were acknowledged.
        case published(Int)
        /// Everything is done and the broker has been told goodbye.
        case end
        case fail(MQTTFailure)
    }

    package enum Addition: Sendable, Hashable {
        case added
        /// In place of the oldest.
        case addedForOldest
        /// Its topic can not be published to, it is too long, or the publisher has been stopped.
        case refused
    }

    private enum Phase: Sendable {
        case away, connecting, running
    }

    /// So many may be under way without an acknowledgement.
    static let window = 64

    private let connect: MQTTConnect
    private let capacity: Int
    private var phase = Phase.away
    private var isStopped = false
    private var waiting: ArraySlice<MQTTMessage> = []
    /// In the order in which they were published.
    private var underWay: [MQTTMessage] = []
    private var last: UInt16 = 0
    private var isPingUnanswered = false
    /// Nothing was acknowledged since the last time for keeping alive, though there was something to acknowledge.
    private var isOverdue = false

    /// - Parameter capacity: the most messages that wait, at least 1.
    package init(_ connect: MQTTConnect, capacity: Int) {
        self.connect = connect
        self.capacity = max(1, capacity)
    }

    /// How many are not acknowledged.
    package var count: Int { waiting.count + underWay.count }

    /// It has been stopped, and everything is acknowledged.
    package var isDone: Bool { isStopped && count == 0 }

    package mutating func add(_ payload: [UInt8], to topic: String) -> Addition {
        guard !isStopped, Self.isTopic(topic), payload.count + topic.utf8.count + 4 <= MQTTPacket.largest else {
            return .refused
        }
        let dropsOldest = waiting.count >= capacity
        if dropsOldest { waiting.removeFirst() }
        waiting.append(MQTTMessage(topic: topic, payload: payload, quality: 1))
        return dropsOldest ? .addedForOldest : .added
    }

    /// No more are taken; the connection ends when all are acknowledged.
    package mutating func stop() { isStopped = true }

    /// A connection is there.
    package mutating func open() -> [Action] {
        phase = .connecting
        isPingUnanswered = false
        isOverdue = false
        return [.send(.connect(connect))]
    }

    package mutating func receive(_ packet: MQTTPacket) -> [Action] {
        switch (phase, packet) {
        case (.connecting, .connectAcknowledged(_, code: 0)):
            phase = .running
            return [.flush]
        case (.connecting, .connectAcknowledged(_, let code)): return [.fail(.refused(code: code))]
        case (.running, .publishAcknowledged(let identifier)):
            guard let index = underWay.firstIndex(where: { $0.identifier == identifier }) else {
                return [.fail(.unexpected)]
            }
            underWay.remove(at: index)
            isOverdue = false
            return [.published(1), .flush]
        case (.running, .pong):
            isPingUnanswered = false
            return []
        default: return [.fail(.unexpected)]
        }
    }

    /// What can be published now; only one task sends what this returns, so that the order is kept.
    package mutating func flush() -> [Action] {
        guard phase == .running else { return [] }
        var actions: [Action] = []
        while underWay.count < Self.window, var message = waiting.popFirst() {
            message.identifier = nextIdentifier()
            underWay.append(message)
            actions.append(.send(.publish(message)))
        }
        if isDone {
            phase = .away
            actions += [.send(.disconnect), .end]
        }
        return actions
    }

    /// The time for keeping the connection alive has passed once more.
    package mutating func keepAlive() -> [Action] {
        switch phase {
        case .away: return []
        case .connecting: return [.fail(.silent)]
        case .running:
            if isPingUnanswered || isOverdue { return [.fail(.silent)] }
            isPingUnanswered = true
            isOverdue = !underWay.isEmpty
            return [.send(.ping)]
        }
    }

    /// The connection is gone: what was not acknowledged is published again over the next one.
    ///
    /// - Returns: how many were dropped, because others had come meanwhile.
    package mutating func lost() -> Int {
        phase = .away
        let all = underWay + waiting
        underWay = []
        waiting = all.suffix(capacity)
        return all.count - waiting.count
    }

    /// Nothing more is sent.
    ///
    /// - Returns: how many were not acknowledged.
    package mutating func abandon() -> Int {
        isStopped = true
        defer {
            waiting = []
            underWay = []
        }
        return count
    }

    private mutating func nextIdentifier() -> UInt16 {
        repeat { last = last == .max ? 1 : last + 1 } while underWay.contains { $0.identifier == last }
        return last
    }

    /// A name without wildcards (section 4.7).
    private static func isTopic(_ topic: String) -> Bool {
        (1...65_535).contains(topic.utf8.count)
            && !topic.utf8.contains { [0, UInt8(ascii: "+"), UInt8(ascii: "#")].contains($0) }
    }
}
