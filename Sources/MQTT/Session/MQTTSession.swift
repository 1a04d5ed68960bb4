/// What a client does at each event of its connection: values in, actions out, no I/O.
///
/// It introduces itself, subscribes to one filter, and from then on has messages delivered until the connection ends.
package struct MQTTSession: Sendable {
    package enum Action: Sendable, Hashable {
        case send(MQTTPacket)
        /// Messages come from now on.
        case begin
        case deliver(MQTTMessage)
        case fail(MQTTFailure)
    }

    private enum State: Sendable {
        case new, connecting, subscribing, running, over
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

    /// The bytes can be sent.
    package mutating func open() -> [Action] {
        guard case .new = state else { return [] }
        state = .connecting
        return [.send(.connect(connect))]
    }

    package mutating func receive(_ packet: MQTTPacket) -> [Action] {
        switch (state, packet) {
        case (.over, _), (.new, _):
            return []
        case (.connecting, .connectAcknowledged(_, code: 0)):
            state = .subscribing
            return [.send(.subscribe(Self.subscription, filter: filter, quality: 0))]
        case (.connecting, .connectAcknowledged(_, let code)):
            return fail(.refused(code: code))
        case (.subscribing, .subscribeAcknowledged(Self.subscription, let codes)):
            guard codes == [0] || codes == [1] else { return fail(.notSubscribed) }
            state = .running
            return [.begin]
        // A broker may deliver what it has kept before it has acknowledged (section 3.8.4).
        case (.subscribing, .publish(let message)), (.running, .publish(let message)):
            return deliver(message)
        case (.subscribing, .pong), (.running, .pong):
            isPingUnanswered = false
            return []
        default:
            return fail(.unexpected)
        }
    }

    /// The time for keeping the connection alive has passed once more.
    package mutating func keepAlive() -> [Action] {
        switch state {
        case .over, .new: return []
        case .connecting: return fail(.silent)
        case .subscribing, .running:
            if isPingUnanswered { return fail(.silent) }
            isPingUnanswered = true
            return [.send(.ping)]
        }
    }

    /// The client has enough.
    package mutating func close() -> [Action] {
        defer { state = .over }
        switch state {
        case .over, .new, .connecting: return []
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
        state = .over
        return [.fail(failure)]
    }
}

/// Why a connection ended.
package enum MQTTFailure: Error, Sendable, Hashable, CustomStringConvertible {
    /// The broker does not take this client.
    ///
    /// - Parameter code: section 3.2.2.3.
    case refused(code: UInt8)
    case notSubscribed
    /// Nothing was heard for too long.
    case silent
    /// The broker sent what it must not.
    case unexpected
    /// The broker has hung up.
    case closed
    /// The server does not speak WebSocket here.
    case notUpgraded

    package var description: String {
        switch self {
        case .refused(let code): "the broker refused the connection with code \(code)"
        case .notSubscribed: "the broker refused the subscription"
        case .silent: "the broker was silent for too long"
        case .unexpected: "the broker sent a packet out of place"
        case .closed: "the broker closed the connection"
        case .notUpgraded: "the server did not switch to WebSocket"
        }
    }
}
