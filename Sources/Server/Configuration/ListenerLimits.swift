import Settings

/// The limits on the concurrent work of clients at the main listener: the `server.limits` section.
public struct ListenerLimits: Sendable, Equatable {
    /// The maximum number of concurrent requests. Default: 2048. Range: 16 to 1000000.
    public var requests = 2_048
    /// The maximum number of concurrent requests of one client address. Default: 256. Range: 1 to 1000000.
    public var requestsPerAddress = 256
    /// The maximum number of concurrent requests of one connection. A reset stream counts until its work has ended.
    /// Default: 100. Range: 1 to 1000000.
    public var requestsPerConnection = 100
    /// The maximum number of connections of one client address; nil for a quarter of all connections. Range: 1 to
    /// 1000000.
    public var connectionsPerAddress: Int?
    /// The memory of request bodies, in bytes, without the first 8 KB of each body. Default: 64 MB. Range: 4 MB to
    /// 64 GB.
    public var bodyMemory = 64_000_000
    /// The same limit for store notifications, in bytes. Default: 16 MB. Range: 8 MB to 64 GB.
    public var notificationBodyMemory = 16_000_000

    public init() {}

    init(_ section: SettingsSection) throws(SettingsError) {
        requests = try section.integer("max_requests", default: requests, in: 16...1_000_000)
        requestsPerAddress = try section.integer(
            "max_requests_per_address", default: requestsPerAddress, in: 1...1_000_000)
        requestsPerConnection = try section.integer(
            "max_requests_per_connection", default: requestsPerConnection, in: 1...1_000_000)
        if section.has("max_connections_per_address") {
            connectionsPerAddress = try section.integer("max_connections_per_address", default: 1, in: 1...1_000_000)
        }
        bodyMemory = try section.size("body_memory", default: bodyMemory, in: 4_000_000...64_000_000_000)
        notificationBodyMemory = try section.size(
            "notification_body_memory", default: notificationBodyMemory, in: 8_000_000...64_000_000_000)
        try section.finish()
    }
}
