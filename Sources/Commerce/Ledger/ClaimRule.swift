/// The rule for the number of persons that may claim one purchase.
///
/// A reader who reinstalls the app is a new owner with the old purchases, and a family has several devices. Fifty
/// accounts, however, indicate a shared receipt.
///
/// Source: Baker protocol, “Common parameters”; Pitfall 18, “Store receipts that prove less than they claim”.
public struct ClaimRule: Sendable, Equatable {
    public let maxPersons: Int

    public init(maxPersons: Int) { self.maxPersons = max(1, maxPersons) }

    public static let exclusive = ClaimRule(maxPersons: 1)
}

/// The result for a genuine receipt.
public enum Settlement: Sendable, Equatable {
    case settled
    /// Other persons claim the purchase, and the rule allows no more: ``ReceiptRejection/Reason/claimedByAnother``.
    case claimedByAnother
}
