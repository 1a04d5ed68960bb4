package import Gatefold

/// Bounds what messages that are no store's may cost: checking one takes certificates and signatures, and needs no sign-in.
///
/// A client address that sent many of them lately is sent away unread for a while, and only a few messages are checked at a time,
/// whoever sends them. An IPv6 client has a whole /64.
package struct NotificationThrottle: Sendable {
    package enum Admission: Equatable {
        case admitted
        /// So many are being checked already.
        case busy
        /// In seconds.
        case throttled(retryAfter: Int)
    }

    /// How many messages are checked at a time.
    static let mostAtOnce = 8
    /// How many refused messages an address may send in one window.
    static let mostRefused = 20
    static let window = Duration.seconds(60)
    /// Addresses that are known at a time. Beyond these, only the number of messages at a time is bounded.
    static let mostAddresses = 10_000

    private struct Refusals {
        var count: Int
        let since: ContinuousClock.Instant
    }

    private var checking = 0
    private var refusals: [ClientAddress: Refusals] = [:]

    package init() {}

    /// Addresses that sent refused messages lately.
    var known: Int { refusals.count }

    /// An admitted message has to be finished.
    package mutating func enter(_ client: ClientAddress?, at now: ContinuousClock.Instant) -> Admission {
        if let known = client.flatMap({ refusals[Self.key($0)] }), known.count >= Self.mostRefused {
            let left = Self.window - (now - known.since)
            if left > .zero { return .throttled(retryAfter: Int(left.components.seconds) + 1) }
        }
        guard checking < Self.mostAtOnce else { return .busy }
        checking += 1
        return .admitted
    }

    /// - Parameter wasRefused: whether the message is none of the store's.
    package mutating func finish(_ client: ClientAddress?, wasRefused: Bool, at now: ContinuousClock.Instant) {
        checking -= 1
        guard wasRefused, let client else { return }
        let key = Self.key(client)
        if let known = refusals[key], now - known.since < Self.window {
            refusals[key] = Refusals(count: known.count + 1, since: known.since)
            return
        }
        if refusals.count >= Self.mostAddresses {
            refusals = refusals.filter { now - $0.value.since < Self.window }
        }
        if refusals.count < Self.mostAddresses || refusals[key] != nil {
            refusals[key] = Refusals(count: 1, since: now)
        }
    }

    private static func key(_ client: ClientAddress) -> ClientAddress {
        client.isIPv6 ? client.prefix(bits: 64) : client
    }
}
