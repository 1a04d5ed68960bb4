public import Foundation
public import Settings

/// The protection settings of one backend, section `protection` of its settings. Every setting has a default. Times
/// are in seconds.
public struct ProtectionSettings: Sendable, Equatable {
    /// The time limit of one query. Default: 3 s. Range: 10 ms to 5 min.
    public var deadline: TimeInterval = 3
    public var concurrency = ConcurrencySettings()
    /// The settings of the circuit breaker, or `nil` if the breaker is disabled.
    public var breaker: BreakerSettings? = BreakerSettings()
    /// The settings of the cache, or `nil` if the cache is disabled.
    public var cache: Cache? = Cache()

    public struct Cache: Sendable, Equatable {
        /// The maximum time until a change reaches readers while the backend is available. Default: 60 s. Range: 0
        /// s to 24 h.
        public var freshness: TimeInterval = 60
        /// The age from which a result is served and refreshed in the background. Default: half of `ttl`.
        /// Range: 0 s to `ttl`.
        public var revalidateAfter: TimeInterval = 30
        /// The freshness of rejections: rejected sign-ins, any state except active, and denied editions. Default: 5
        /// s, or `ttl` if that is shorter. Range: 0 s to `ttl`.
        public var negative: TimeInterval = 5
        /// The maximum age at which a good result replaces a failed query. Default: 24 h, or `ttl` if that is
        /// longer. Range: `ttl` to 30 d, or 0 s to disable the replacement.
        public var lastKnownGood: TimeInterval = 86_400
        /// The estimated maximum memory of all results, in bytes. Default: 64 MB. Range: 100 kB to 100 GB.
        public var memory = 64_000_000

        public init() {}
    }

    public init() {}

    /// Reads the settings from a section.
    ///
    /// - Throws: `SettingsError` for values out of range and for unknown keys.
    public init(_ section: SettingsSection) throws(SettingsError) {
        deadline = try section.duration("deadline", default: deadline, in: 0.01...300)
        concurrency = try ConcurrencySettings(try section.section("concurrency"))
        breaker = try BreakerSettings.read(try section.section("breaker"))
        cache = try Self.cache(try section.section("cache"))
        try section.finish()
    }

    private static func cache(_ section: SettingsSection) throws(SettingsError) -> Cache? {
        let isEnabled = try section.boolean("enabled", default: true)
        var read = Cache()
        read.freshness = try section.duration("ttl", default: read.freshness, in: 0...86_400)
        read.revalidateAfter = try section.duration(
            "revalidate_after", default: read.freshness / 2, in: 0...86_400)
        guard read.revalidateAfter <= read.freshness else {
            throw section.error("revalidate_after", expected: "expected a time no longer than `ttl`")
        }
        read.negative = try section.duration(
            "negative_ttl", default: min(read.negative, read.freshness), in: 0...86_400)
        guard read.negative <= read.freshness else {
            throw section.error("negative_ttl", expected: "expected a time no longer than `ttl`")
        }
        read.lastKnownGood = try section.duration(
            "last_known_good", default: max(read.lastKnownGood, read.freshness), in: 0...2_592_000)
        guard read.lastKnownGood == 0 || read.lastKnownGood >= read.freshness else {
            throw section.error(
                "last_known_good", expected: "expected 0s for never, or a time no shorter than `ttl`")
        }
        read.memory = try section.size("max_memory", default: read.memory, in: 100_000...100_000_000_000)
        try section.finish()
        return isEnabled ? read : nil
    }
}
