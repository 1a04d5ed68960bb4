public import Foundation
public import Primitives

/// The clock by which a state store deletes old data. It is stored in the state itself.
///
/// A machine's clock may be a year ahead for three seconds, and data deleted in that time is lost. This clock
/// therefore follows the wall clock at no more than twice the pace of a monotonic clock, and never goes back. With
/// a wrong clock, the store deletes data too early by no more than the duration of the error, which ``margin``
/// covers. After a time without a running process, the clock catches up within an equal running time.
public struct StoreClock: Sendable, Equatable {
    /// The time in seconds that the store retains data beyond its necessary age: 30 days.
    public static let margin: TimeInterval = 30 * 86_400
    private static let pace: Double = 2

    /// The current time for the deletion of old data.
    public private(set) var timestamp: Date
    /// The latest time that any process took as the current time, or at which a session counts as issued. No token
    /// was sealed later.
    public private(set) var latest: Date

    public init(timestamp: Date, latest: Date) {
        self.timestamp = timestamp
        self.latest = max(timestamp, latest)
    }

    /// Advances the clock.
    ///
    /// - Parameters:
    ///   - wall: The current time of the wall clock.
    ///   - base: An earlier time of this clock.
    ///   - seconds: The time since then in seconds, measured by a monotonic clock.
    public mutating func advance(to wall: Date, from base: Date, after seconds: TimeInterval) {
        latest = max(latest, wall)
        timestamp = max(timestamp, min(wall, base.addingTimeInterval(Self.pace * max(0, seconds))))
    }
}

/// The view of one process on a ``StoreClock``: its last value and the time at which the process read it.
public struct StoreClockReader: Sendable {
    private var base: (timestamp: Date, elapsed: TimeInterval)?

    public init() {}

    /// Advances the stored clock.
    public mutating func advance(_ recorded: StoreClock, by clock: WallClock) -> StoreClock {
        let elapsed = clock.elapsed
        var advanced = recorded
        advanced.advance(
            to: clock.now, from: base?.timestamp ?? recorded.timestamp, after: base.map { elapsed - $0.elapsed } ?? 0)
        base = (advanced.timestamp, elapsed)
        return advanced
    }
}

/// The maximum time during which the tokens of a publication matter: the longest values ever in force, as stored.
public struct TokenBounds: Sendable, Equatable {
    /// The time from the sealing of a token to its expiry, in seconds.
    public var lifetime: TimeInterval
    /// The time after its expiry during which a token can be renewed or a download resumed, in seconds.
    public var afterExpiry: TimeInterval

    /// The bounds of an unknown configuration. Every configuration limits both values to ten years.
    public static let unknown = TokenBounds(lifetime: 315_360_000, afterExpiry: 315_360_000)

    public init(lifetime: TimeInterval, afterExpiry: TimeInterval) {
        self.lifetime = lifetime
        self.afterExpiry = afterExpiry
    }

    public init(_ lifetimes: Lifetimes) {
        // Credentials without a token have their own lifetimes.
        lifetime = max(
            lifetimes.token, lifetimes.editionCredentials, lifetimes.failOpenCredentials, lifetimes.downloadToken)
        afterExpiry = max(lifetimes.renewalWindow, lifetimes.resumeWindow)
    }

    /// Returns the bounds with the longer value of each property.
    public func joined(with other: TokenBounds) -> TokenBounds {
        TokenBounds(
            lifetime: max(lifetime, other.lifetime), afterExpiry: max(afterExpiry, other.afterExpiry))
    }
}
