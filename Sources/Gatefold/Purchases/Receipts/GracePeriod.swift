public import Foundation

/// What a store said about the billing grace period of a subscription's last period: the time in which a reader whose payment
/// failed keeps what was bought.
///
/// Most words about a transaction say nothing of it. So it is kept beside the end of what was paid for, and only a word that
/// speaks of grace replaces another.
public struct GracePeriod: Sendable, Hashable, Comparable {
    /// Nil: there is none.
    public let ends: Date?
    /// When the store said so.
    public let told: Date

    public init(ends: Date?, told: Date) {
        self.ends = ends
        self.told = told
    }

    /// By when they were told; of two at one moment the one that lets the subscription run longer is the greater.
    public static func < (left: GracePeriod, right: GracePeriod) -> Bool {
        left.moments.lexicographicallyPrecedes(right.moments)
    }

    private var moments: [TimeInterval] {
        [told.timeIntervalSince1970, ends?.timeIntervalSince1970 ?? -.infinity]
    }
}
