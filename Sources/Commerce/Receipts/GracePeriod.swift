public import Foundation

/// The store's information about the billing grace period of a subscription's last period. In this period, a reader
/// whose payment failed retains the purchase.
///
/// Most store results contain no such information. The grace period is therefore stored separately from the paid
/// end, and only a result that mentions grace replaces it.
public struct GracePeriod: Sendable, Hashable, Comparable {
    /// The end of the grace period, or nil if there is none.
    public let ends: Date?
    /// The time of the store's information.
    public let reported: Date

    public init(ends: Date?, reported: Date) {
        self.ends = ends
        self.reported = reported
    }

    /// Compares two grace periods by the time of the information. At equal times, the one with the later end is
    /// greater.
    public static func < (left: GracePeriod, right: GracePeriod) -> Bool {
        left.timestamps.lexicographicallyPrecedes(right.timestamps)
    }

    private var timestamps: [TimeInterval] {
        [reported.timeIntervalSince1970, ends?.timeIntervalSince1970 ?? -.infinity]
    }
}
