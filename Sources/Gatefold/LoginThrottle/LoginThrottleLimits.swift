public import Foundation

/// The limits for wrong login attempts.
///
/// Each number is both the burst and the long-term rate per window. Source: Pitfall 19, “Brute force and lockout”.
public struct LoginThrottleLimits: Sendable, Equatable {
    /// The limit for one reader, regardless of the client and the spelling of the identifier. Default: 10.
    public var perIdentifier: Int
    /// The limit for one IPv4 address, or one IPv6 block of ``addressBits``. Default: 100.
    public var perAddress: Int
    /// The limit for one IPv6 block of ``networkPrefixBits``, so that a change of address within a network does not
    /// bypass it. Default: 1,000.
    public var perNetwork: Int
    /// The limit for all clients together behind one proxy that is not listed as trusted, in place of the limits
    /// per address. See ``ClientAddress/isUnlistedProxy``. Default: 10,000.
    public var perUnlistedProxy: Int
    /// The limit for one reader from a known device or address, after others used up the reader's limit. Default:
    /// 5.
    public var perKnownDevice: Int
    /// The window in seconds. Default: 900 s.
    public var window: TimeInterval
    public var addressBits: Int
    public var networkPrefixBits: Int
    /// The number of seconds after a right sign-in for which its address counts as the reader's own. Default:
    /// 86,400 s.
    public var knownDeviceTTL: TimeInterval
    /// The maximum number of stored entries of each kind. Default: 200,000.
    public var capacity: Int
    /// The maximum number of attempts that wait for running attempts: in total, and for one reader or address.
    /// Default: 2,000 and 500.
    public var maxQueued = 2000
    public var maxQueuedPerCounter = 500
    /// The maximum wait in seconds. Default: 10 s.
    public var queueTimeout: TimeInterval = 10

    public init(
        perIdentifier: Int = 10, perAddress: Int = 100, perNetwork: Int = 1000, perUnlistedProxy: Int = 10_000,
        perKnownDevice: Int = 5, window: TimeInterval = 900, addressBits: Int = 64, networkPrefixBits: Int = 48,
        knownDeviceTTL: TimeInterval = 86_400, capacity: Int = 200_000
    ) {
        self.perIdentifier = perIdentifier
        self.perAddress = perAddress
        self.perNetwork = perNetwork
        self.perUnlistedProxy = perUnlistedProxy
        self.perKnownDevice = perKnownDevice
        self.window = window
        self.addressBits = addressBits
        self.networkPrefixBits = networkPrefixBits
        self.knownDeviceTTL = knownDeviceTTL
        self.capacity = capacity
    }

    /// Returns the number of wrong attempts per window that a counter admits.
    func limit(of kind: LoginAttemptCounter.Kind) -> Int {
        switch kind {
        case .reader, .subscriber: perIdentifier
        case .address: perAddress
        case .network: perNetwork
        case .proxy: perUnlistedProxy
        case .device, .place: perKnownDevice
        }
    }
}
