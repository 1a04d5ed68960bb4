/// How many persons may claim one purchase.
///
/// A reader who installs anew is a new owner with the old purchases (PROTOCOLS 2.1), and a family has several devices;
/// fifty accounts are a shared receipt (PITFALLS row 18).
public struct ClaimRule: Sendable, Equatable {
    public let mostPersons: Int

    public init(mostPersons: Int) { self.mostPersons = max(1, mostPersons) }

    public static let exclusive = ClaimRule(mostPersons: 1)
}

/// What became of a genuine receipt.
public enum Settlement: Sendable, Equatable {
    case settled
    /// Somebody else has it, and the rule allows no more: ``ReceiptRefusal/Reason/claimedByAnother``.
    case claimedByAnother
}
