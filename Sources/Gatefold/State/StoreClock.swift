public import Foundation

/// The clock by which a state store forgets what is old, kept in the state itself.
///
/// A machine's clock may be a year ahead for three seconds, and what was deleted in them is gone for good. So this clock
/// follows the wall clock, but at no more than twice the pace of a clock that nobody sets, and never goes back. A clock that
/// is wrong makes the store forget something too early by no more than the time for which it was wrong, which ``margin``
/// covers. The time for which no process ran is caught up with in as much time of running.
public struct StoreClock: Sendable, Equatable {
    /// What is old is older than this by so many seconds more than it has to be.
    public static let margin: TimeInterval = 30 * 86_400
    private static let pace: Double = 2

    /// The present, as far as forgetting goes.
    public private(set) var moment: Date
    /// The latest moment that any process took for the present, or at which a session counts as issued. No token was sealed
    /// later.
    public private(set) var latest: Date

    public init(moment: Date, latest: Date) {
        self.moment = moment
        self.latest = max(moment, latest)
    }

    /// - Parameters:
    ///   - wall: what the wall clock says now.
    ///   - base: what this clock said some time ago.
    ///   - seconds: how long ago that was, by a clock that nobody sets.
    public mutating func advance(to wall: Date, from base: Date, after seconds: TimeInterval) {
        latest = max(latest, wall)
        moment = max(moment, min(wall, base.addingTimeInterval(Self.pace * max(0, seconds))))
    }
}

/// One process's part in a ``StoreClock``: what it said when it was read last, and when that was.
public struct StoreClockReader: Sendable {
    private var base: (moment: Date, elapsed: TimeInterval)?

    public init() {}

    /// Advances the clock as it is on record.
    public mutating func advance(_ recorded: StoreClock, by clock: WallClock) -> StoreClock {
        let elapsed = clock.elapsed
        var advanced = recorded
        advanced.advance(
            to: clock.now, from: base?.moment ?? recorded.moment, after: base.map { elapsed - $0.elapsed } ?? 0)
        base = (advanced.moment, elapsed)
        return advanced
    }
}

/// For how long the tokens of a publication can matter: the longest that was ever in force, as the store keeps it.
public struct TokenBounds: Sendable, Equatable {
    /// Of a token that is sealed now, in seconds until it expires.
    public var lifetime: TimeInterval
    /// For so many seconds after its expiry a token can be renewed, or a download under it resumed.
    public var afterExpiry: TimeInterval

    /// No configuration allows more than ten years of either.
    public static let unknown = TokenBounds(lifetime: 315_360_000, afterExpiry: 315_360_000)

    public init(lifetime: TimeInterval, afterExpiry: TimeInterval) {
        self.lifetime = lifetime
        self.afterExpiry = afterExpiry
    }

    public init(_ lifetimes: Lifetimes) {
        // Credentials without a token behind them are bounded by their own lifetimes.
        lifetime = max(
            lifetimes.token, lifetimes.editionCredentials, lifetimes.failOpenCredentials, lifetimes.ticket)
        afterExpiry = max(lifetimes.renewalWindow, lifetimes.resumeWindow)
    }

    /// The longer of both, each for itself.
    public func joined(with other: TokenBounds) -> TokenBounds {
        TokenBounds(
            lifetime: max(lifetime, other.lifetime), afterExpiry: max(afterExpiry, other.afterExpiry))
    }
}
