/// The outgoing messages of a publisher, and the state machine of its connections. Its methods take events and
/// return actions, and do no I/O.
///
/// Each message is published at least once (quality of service 1). It is stored until the broker acknowledges it,
/// and published again on the next connection if the acknowledgement is missing. While the broker is unavailable,
/// messages wait up to a limit. Beyond the limit, each new message drops the oldest.
package struct MQTTOutbox: Sendable {
    package enum Action: Sendable, Hashable {
        case send(MQTTPacket)
        /// The broker accepts messages. ``flush()`` returns them.
        case flush
        /// The number of messages that were acknowledged.
        case published(Int)
        /// All messages are acknowledged, and the disconnect packet was sent.
        case end
        case fail(MQTTFailure)
    }

    package enum Addition: Sendable, Hashable {
        case added
        /// The message was added, and the oldest was dropped.
        case addedByDroppingOldest
        /// The topic is invalid, the message is too long, or the publisher was stopped.
        case rejected
    }

    private enum Phase: Sendable {
        case disconnected, connecting, running
    }

    /// The maximum number of messages in flight without an acknowledgement.
    static let window = 64

    private let connect: MQTTConnect
    private let capacity: Int
    private var phase = Phase.disconnected
    private var isStopped = false
    private var waiting: ArraySlice<MQTTMessage> = []
    /// The messages in flight, in the order of publication.
    private var inFlight: [MQTTMessage] = []
    private var last: UInt16 = 0
    private var isPingUnanswered = false
    /// A Boolean value that indicates whether the broker acknowledged nothing since the last keep-alive although
    /// messages were in flight.
    private var isOverdue = false

    /// Creates an outbox.
    ///
    /// - Parameter capacity: The maximum number of waiting messages, at least 1.
    package init(_ connect: MQTTConnect, capacity: Int) {
        self.connect = connect
        self.capacity = max(1, capacity)
    }

    /// The number of messages without an acknowledgement.
    package var count: Int { waiting.count + inFlight.count }

    /// A Boolean value that indicates whether the outbox was stopped and all messages are acknowledged.
    package var isDone: Bool { isStopped && count == 0 }

    package mutating func add(_ payload: [UInt8], to topic: String) -> Addition {
        guard !isStopped, Self.isTopic(topic), payload.count + topic.utf8.count + 4 <= MQTTPacket.maxSize else {
            return .rejected
        }
        let dropsOldest = waiting.count >= capacity
        if dropsOldest { waiting.removeFirst() }
        waiting.append(MQTTMessage(topic: topic, payload: payload, quality: 1))
        return dropsOldest ? .addedByDroppingOldest : .added
    }

    /// Stops the outbox. It rejects new messages, and the connection ends when all messages are acknowledged.
    package mutating func stop() { isStopped = true }

    /// Starts the protocol on a new connection.
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
        case (.connecting, .connectAcknowledged(_, let code)): return [.fail(.rejected(code: code))]
        case (.running, .publishAcknowledged(let identifier)):
            guard let index = inFlight.firstIndex(where: { $0.identifier == identifier }) else {
                return [.fail(.unexpected)]
            }
            inFlight.remove(at: index)
            isOverdue = false
            return [.published(1), .flush]
        case (.running, .pong):
            isPingUnanswered = false
            return []
        default: return [.fail(.unexpected)]
        }
    }

    /// Returns the messages that can be published now. Only one task may send the returned actions, to preserve the
    /// order.
    package mutating func flush() -> [Action] {
        guard phase == .running else { return [] }
        var actions: [Action] = []
        while inFlight.count < Self.window, var message = waiting.popFirst() {
            message.identifier = nextIdentifier()
            inFlight.append(message)
            actions.append(.send(.publish(message)))
        }
        if isDone {
            phase = .disconnected
            actions += [.send(.disconnect), .end]
        }
        return actions
    }

    /// Handles the end of a keep-alive interval.
    package mutating func keepAlive() -> [Action] {
        switch phase {
        case .disconnected: return []
        case .connecting: return [.fail(.keepAliveTimeout)]
        case .running:
            if isPingUnanswered || isOverdue { return [.fail(.keepAliveTimeout)] }
            isPingUnanswered = true
            isOverdue = !inFlight.isEmpty
            return [.send(.ping)]
        }
    }

    /// Handles the loss of the connection. Messages without an acknowledgement are published again on the next
    /// connection.
    ///
    /// - Returns: The number of messages dropped because newer messages filled the queue.
    package mutating func handleConnectionLoss() -> Int {
        phase = .disconnected
        let all = inFlight + waiting
        inFlight = []
        waiting = all.suffix(capacity)
        return all.count - waiting.count
    }

    /// Discards all messages and stops the outbox.
    ///
    /// - Returns: The number of messages without an acknowledgement.
    package mutating func abandon() -> Int {
        isStopped = true
        defer {
            waiting = []
            inFlight = []
        }
        return count
    }

    private mutating func nextIdentifier() -> UInt16 {
        repeat { last = last == .max ? 1 : last + 1 } while inFlight.contains { $0.identifier == last }
        return last
    }

    /// Returns whether the text is a topic name without wildcards (section 4.7).
    private static func isTopic(_ topic: String) -> Bool {
        (1...65_535).contains(topic.utf8.count)
            && !topic.utf8.contains { [0, UInt8(ascii: "+"), UInt8(ascii: "#")].contains($0) }
    }
}
