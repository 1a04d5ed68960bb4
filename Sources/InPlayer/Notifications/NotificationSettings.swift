public import NIOSSL

/// How notifications are received.
public struct NotificationSettings: Sendable {
    /// The certificates that the broker is checked by; nil for those of the system.
    public var tls: TLSConfiguration?
    /// The broker is asked whether it is still there so often, in seconds.
    public var keepAlive: UInt16 = 30
    /// Before the first and before the last attempt to connect again, in seconds; between them the time doubles.
    public var shortestPause: Double = 1
    public var longestPause: Double = 60
    /// A connection is replaced so many seconds before its keys end.
    public var renewal: Double = 300

    public init() {}
}
