package import Gatefold

/// A limit on the cost of messages that no store sent, because a check needs certificates and signatures, and no
/// sign-in.
///
/// A client address that recently sent many rejected messages is rejected for a while without a check of its
/// messages. In addition, only a few messages are checked at a time, from all senders together. An IPv6 client is a
/// whole /64.
package struct NotificationThrottle: Sendable {
    package enum Admission: Equatable {
        case admitted
        /// The maximum number of messages is being checked already.
        case busy
        /// The address is throttled, with the delay in seconds.
        case throttled(retryAfter: Int)
    }

    /// The maximum number of messages that are checked at a time.
    static let maxConcurrent = 8
    /// The maximum number of rejected messages from an address in one window.
    static let maxRejected = 20
    static let window = Duration.seconds(60)
    /// The maximum number of addresses in the table. Beyond it, only the number of simultaneous checks is limited.
    static let maxAddresses = 10_000

    private struct Rejections {
        var count: Int
        let since: ContinuousClock.Instant
    }

    private var checking = 0
    private var rejections: [ClientAddress: Rejections] = [:]

    package init() {}

    /// The number of addresses that recently sent rejected messages.
    var known: Int { rejections.count }

    /// Admits a message. The caller must finish each admitted message.
    package mutating func enter(_ client: ClientAddress?, at now: ContinuousClock.Instant) -> Admission {
        if let known = client.flatMap({ rejections[Self.key($0)] }), known.count >= Self.maxRejected {
            let left = Self.window - (now - known.since)
            if left > .zero { return .throttled(retryAfter: Int(left.components.seconds) + 1) }
        }
        guard checking < Self.maxConcurrent else { return .busy }
        checking += 1
        return .admitted
    }

    /// Finishes an admitted message.
    ///
    /// - Parameter wasRejected: Whether the message is not from the store.
    package mutating func finish(_ client: ClientAddress?, wasRejected: Bool, at now: ContinuousClock.Instant) {
        checking -= 1
        guard wasRejected, let client else { return }
        let key = Self.key(client)
        if let known = rejections[key], now - known.since < Self.window {
            rejections[key] = Rejections(count: known.count + 1, since: known.since)
            return
        }
        if rejections.count >= Self.maxAddresses {
            rejections = rejections.filter { now - $0.value.since < Self.window }
        }
        if rejections.count < Self.maxAddresses || rejections[key] != nil {
            rejections[key] = Rejections(count: 1, since: now)
        }
    }

    private static func key(_ client: ClientAddress) -> ClientAddress {
        client.isIPv6 ? client.prefix(bits: 64) : client
    }
}
