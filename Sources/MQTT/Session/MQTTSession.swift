/// The state machine of a subscriber's connection. Its methods take events and return actions, and do no I/O.
///
/// The client connects, subscribes to one filter, and then receives messages until the connection ends.
package struct MQTTSession: Sendable {
    package enum Action: Sendable, Hashable {
        case send(MQTTPacket)
        /// The broker starts to deliver messages.
        case begin
        case deliver(MQTTMessage)
        case fail(MQTTFailure)
    }

    private enum State: Sendable {
        case new, connecting, subscribing, running, closed
    }

    private static let subscription: UInt16 = 1

    private let connect: MQTTConnect
    private let filter: String
    private var state = State.new
    private var isPingUnanswered = false

    package init(_ connect: MQTTConnect, filter: String) {
        self.connect = connect
        self.filter = filter
    }

    /// Starts the protocol on a new connection.
    package mutating func open() -> [Action] {
        guard case .new = state else { return [] }
        state = .connecting
        return [.send(.connect(connect))]
    }

    package mutating func receive(_ packet: MQTTPacket) -> [Action] {
        switch (state, packet) {
        case (.closed, _), (.new, _):
            return []
        case (.connecting, .connectAcknowledged(_, code: 0)):
            state = .subscribing
            return [.send(.subscribe(Self.subscription, filter: filter, quality: 0))]
        case (.connecting, .connectAcknowledged(_, let code)):
            return fail(.rejected(code: code))
        case (.subscribing, .subscribeAcknowledged(Self.subscription, let codes)):
            guard codes == [0] || codes == [1] else { return fail(.notSubscribed) }
            state = .running
            return [.begin]
        // A broker may deliver retained messages before it acknowledges the subscription (section 3.8.4).
        case (.subscribing, .publish(let message)), (.running, .publish(let message)):
            return deliver(message)
        case (.subscribing, .pong), (.running, .pong):
            isPingUnanswered = false
            return []
        default:
            return fail(.unexpected)
        }
    }

    /// Handles the end of a keep-alive interval.
    package mutating func keepAlive() -> [Action] {
        switch state {
        case .closed, .new: return []
        case .connecting: return fail(.keepAliveTimeout)
        case .subscribing, .running:
            if isPingUnanswered { return fail(.keepAliveTimeout) }
            isPingUnanswered = true
            return [.send(.ping)]
        }
    }

    /// Ends the session on the client's side.
    package mutating func close() -> [Action] {
        defer { state = .closed }
        switch state {
        case .closed, .new, .connecting: return []
        case .subscribing, .running: return [.send(.disconnect)]
        }
    }

    private mutating func deliver(_ message: MQTTMessage) -> [Action] {
        switch message.quality {
        case 0: return [.deliver(message)]
        case 1:
            guard let identifier = message.identifier else { return fail(.unexpected) }
            return [.deliver(message), .send(.publishAcknowledged(identifier))]
        default: return fail(.unexpected)
        }
    }

    private mutating func fail(_ failure: MQTTFailure) -> [Action] {
        state = .closed
        return [.fail(failure)]
    }
}

/// An error that indicates why a connection ended.
package enum MQTTFailure: Error, Sendable, Hashable, CustomStringConvertible {
    /// The broker rejected the client.
    ///
    /// - Parameter code: The return code (section 3.2.2.3).
    case rejected(code: UInt8)
    case notSubscribed
    /// The broker sent no packet for too long.
    case keepAliveTimeout
    /// The broker sent a packet that is not allowed in this state.
    case unexpected
    /// The broker closed the connection.
    case closed
    /// The server does not support WebSocket at this target.
    case notUpgraded

    package var description: String {
        switch self {
        case .rejected(let code): "the broker refused the connection with code \(code)"
        case .notSubscribed: "the broker rejected the subscription"
        case .keepAliveTimeout: "the broker was silent for too long"
        case .unexpected: "the broker sent an unexpected packet"
        case .closed: "the broker closed the connection"
        case .notUpgraded: "the server did not switch to WebSocket"
        }
    }
}
