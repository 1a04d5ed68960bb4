public import Foundation
public import Protections
public import Settings

/// How one backend is protected: the section `protection` of its settings. Everything has a default; times in seconds.
public struct ProtectionSettings: Sendable, Equatable {
    /// How long one question may take.
    public var deadline: TimeInterval = 3
    public var concurrency = ConcurrencySettings()
    /// Nil where it is switched off.
    public var breaker: BreakerSettings? = BreakerSettings()
    /// Nil where it is switched off.
    public var cache: Cache? = Cache()

    public struct Cache: Sendable, Equatable {
        /// A change reaches readers within this time at the latest, while the backend can be asked.
        public var freshness: TimeInterval = 60
        /// An answer older than this is served, and asked anew behind the reader's back.
        public var revalidateAfter: TimeInterval = 30
        /// The freshness of refusals: of "not recognised", of any state but active, of a refused edition.
        public var negative: TimeInterval = 5
        /// For how long the last good answer stands in while the backend can not be asked.
        public var lastKnownGood: TimeInterval = 86_400
        /// The most memory all answers take, in bytes, by estimate.
        public var memory = 64_000_000

        public init() {}
    }

    public init() {}

    /// - Throws: ``SettingsError`` for values out of range and for unknown keys.
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
        read.freshness = try section.duration("freshness", default: read.freshness, in: 0...86_400)
        read.revalidateAfter = try section.duration(
            "revalidate_after", default: read.freshness / 2, in: 0...86_400)
        guard read.revalidateAfter <= read.freshness else {
            throw section.error("revalidate_after", expected: "expected a time no longer than `freshness`")
        }
        read.negative = try section.duration("negative", default: min(read.negative, read.freshness), in: 0...86_400)
        guard read.negative <= read.freshness else {
            throw section.error("negative", expected: "expected a time no longer than `freshness`")
        }
        read.lastKnownGood = try section.duration(
            "last_known_good", default: max(read.lastKnownGood, read.freshness), in: 0...2_592_000)
        guard read.lastKnownGood == 0 || read.lastKnownGood >= read.freshness else {
            throw section.error(
                "last_known_good", expected: "expected 0s for never, or a time no shorter than `freshness`")
        }
        read.memory = try section.size("memory", default: read.memory, in: 100_000...100_000_000_000)
        try section.finish()
        return isEnabled ? read : nil
    }
}
