public import NIOSSL

/// The settings of the receiver of notifications.
public struct NotificationSettings: Sendable {
    /// The TLS settings for the broker, or nil to trust the system's certificate authorities.
    public var tls: TLSConfiguration?
    /// The interval in seconds between pings to the broker. Default: 30 s.
    public var keepAlive: UInt16 = 30
    /// The minimum pause in seconds before a reconnection. The pause doubles with each failure up to
    /// ``maxPause``. Defaults: 1 s and 60 s.
    public var minPause: Double = 1
    public var maxPause: Double = 60
    /// The time in seconds before the expiry of the keys at which a connection is replaced. Default: 300 s.
    public var renewal: Double = 300

    public init() {}
}
