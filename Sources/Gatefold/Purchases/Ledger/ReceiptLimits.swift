/// How many receipts that prove nothing yet a ledger keeps: anybody can hand some in, and they must not fill the disk on which
/// sign-out and revocations are written.
///
/// The defaults leave room for a launch day on which the store is down: ten thousand buyers an hour, twenty thousand
/// receipts that wait at once. What was proven counts for nothing here, and what is refused is kept without its content.
public struct ReceiptLimits: Sendable, Equatable {
    /// Of one owner in one publication, refused and waiting ones together. The refused ones make room, the oldest first.
    public var ofOwner: Int
    /// Of one publication, taken in within an hour, refused and waiting ones together.
    public var perHour: Int
    /// Of one publication, waiting because their store could not be asked: only these take room. While there are so many, a
    /// store that answers is asked about new ones all the same.
    public var waiting: Int

    public init(ofOwner: Int = 100, perHour: Int = 10_000, waiting: Int = 20_000) {
        self.ofOwner = ofOwner
        self.perHour = perHour
        self.waiting = waiting
    }
}

/// A receipt was not kept, because there are as many as may be: it is to be handed in again later.
public enum ReceiptLimitReached: String, BackendFailure {
    case ofOwner
    case perHour
    case waiting

    public var cause: String {
        switch self {
        case .ofOwner: "too many receipts of one owner wait for their store"
        case .perHour: "too many receipts within an hour that prove nothing yet"
        case .waiting: "too many receipts wait for their store"
        }
    }

    /// Whole seconds after which asking again may help.
    var retryAfter: Int { self == .ofOwner ? 3600 : 600 }
}
