import Settings

/// How much clients may have under way at the main listener: the section `server.limits`.
public struct ListenerLimits: Sendable, Equatable {
    /// Requests that are worked on at a time.
    public var requests = 2_048
    /// Those of one client address.
    public var requestsPerAddress = 256
    /// Those of one connection, reset streams included until their work has ended.
    public var requestsPerConnection = 100
    /// Connections of one client address; nil for a quarter of all.
    public var connectionsPerAddress: Int?
    /// Bytes of request bodies that are held at a time, without the first 8 KB of each.
    public var bodyMemory = 64_000_000
    /// Those of store notifications.
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
