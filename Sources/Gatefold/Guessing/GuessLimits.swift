public import Foundation

/// How many wrong attempts to sign in are let through (PITFALLS row 19).
///
/// Each number is a burst that may come at once, and the rate per window at which more are let through after it.
public struct GuessLimits: Sendable, Equatable {
    /// At one reader, whoever tries and however their identifier is spelled.
    public var perIdentifier: Int
    /// From one IPv4 address, or from one IPv6 block of ``addressBits``.
    public var perAddress: Int
    /// From one IPv6 block of ``wideBlockBits``, so that changing addresses within a network is no way around.
    public var perWideBlock: Int
    /// From all clients together behind one proxy that is not listed as a trusted one, in place of the limits per address,
    /// see ``ClientAddress/isUnlistedProxy``.
    public var perUnlistedProxy: Int
    /// At one reader, from a device or address of theirs, once the others are used up by somebody else.
    public var perAcquaintance: Int
    /// In seconds.
    public var window: TimeInterval
    public var addressBits: Int
    public var wideBlockBits: Int
    /// For so many seconds after a right sign-in its address counts as the reader's own.
    public var familiarity: TimeInterval
    /// The most entries of each kind that are remembered.
    public var capacity: Int
    /// The most attempts that wait until others under way are decided: of all, and for one reader or address.
    public var maxQueued = 2000
    public var maxQueuedPerCounter = 500
    /// The longest such wait, in seconds.
    public var queueTimeout: TimeInterval = 10

    public init(
        perIdentifier: Int = 10, perAddress: Int = 100, perWideBlock: Int = 1000, perUnlistedProxy: Int = 10_000,
        perAcquaintance: Int = 5, window: TimeInterval = 900, addressBits: Int = 64, wideBlockBits: Int = 48,
        familiarity: TimeInterval = 86_400, capacity: Int = 200_000
    ) {
        self.perIdentifier = perIdentifier
        self.perAddress = perAddress
        self.perWideBlock = perWideBlock
        self.perUnlistedProxy = perUnlistedProxy
        self.perAcquaintance = perAcquaintance
        self.window = window
        self.addressBits = addressBits
        self.wideBlockBits = wideBlockBits
        self.familiarity = familiarity
        self.capacity = capacity
    }

    /// The number of wrong guesses per window that a counter lets through.
    func limit(of kind: GuessCounter.Kind) -> Int {
        switch kind {
        case .reader, .subscriber: perIdentifier
        case .address: perAddress
        case .wideBlock: perWideBlock
        case .proxy: perUnlistedProxy
        case .device, .place: perAcquaintance
        }
    }
}
