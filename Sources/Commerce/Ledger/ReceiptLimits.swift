public import Primitives

/// The maximum number of unproven receipts in a ledger. Any client can send receipts, and they must not fill the
/// disk that sign-out and revocations need.
///
/// The defaults leave room for a launch day with a store outage: 10,000 buyers per hour, and 20,000 receipts that
/// are pending at the same time. Proven receipts do not count, and rejected receipts are stored without their content.
public struct ReceiptLimits: Sendable, Equatable {
    /// The limit for one owner in one publication, for rejected and pending receipts together. Rejected receipts
    /// make room, the oldest first. Default: 100.
    public var perOwner: Int
    /// The limit for one publication within an hour, for rejected and pending receipts together. Default: 10,000.
    public var perHour: Int
    /// The limit for one publication's receipts that are pending because their store was unavailable. Only these
    /// receipts count. At the limit, an available store is still queried about new receipts. Default: 20,000.
    public var pending: Int

    public init(perOwner: Int = 100, perHour: Int = 10_000, pending: Int = 20_000) {
        self.perOwner = perOwner
        self.perHour = perHour
        self.pending = pending
    }
}

/// The error for a receipt that was not stored because a limit is reached. The app should send it again later.
public enum ReceiptLimitReached: String, BackendFailure {
    case perOwner
    case perHour
    case pending

    public var cause: String {
        switch self {
        case .perOwner: "too many pending receipts of one owner"
        case .perHour: "too many unverified receipts within an hour"
        case .pending: "too many pending receipts"
        }
    }

    /// The number of whole seconds after which a retry may succeed.
    var retryAfter: Int { self == .perOwner ? 3600 : 600 }
}
