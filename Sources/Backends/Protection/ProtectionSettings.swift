public import Foundation
public import Settings

/// How one backend is protected: the section `protection` of its settings. Everything has a default; times in seconds.
public struct ProtectionSettings: Sendable, Equatable {
    /// How long one question may take.
    public var deadline: TimeInterval = 3
    public var concurrency = Concurrency()
    /// Nil where it is switched off.
    public var breaker: Breaker? = Breaker()
    /// Nil where it is switched off.
    public var cache: Cache? = Cache()

    public struct Concurrency: Sendable, Equatable {
        /// The most questions the backend is asked at once.
        public var most = 16
        /// The most that wait their turn beside those.
        public var waiting = 500
        /// How long one waits at most.
        public var patience: TimeInterval = 2

        public init() {}
    }

    public struct Breaker: Sendable, Equatable {
        /// So many failures within the window open it,
        public var failures = 5
        /// if they are at least so many in a hundred of all questions of the window.
        public var share = 50
        public var within: TimeInterval = 30
        /// For how long nothing is asked then.
        public var openFor: TimeInterval = 10
        /// How many questions at once may try whether the backend is back.
        public var probes = 1

        public init() {}
    }

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
        concurrency = try Self.concurrency(try section.section("concurrency"))
        breaker = try Self.breaker(try section.section("breaker"))
        cache = try Self.cache(try section.section("cache"))
        try section.finish()
    }

    private static func concurrency(_ section: SettingsSection) throws(SettingsError) -> Concurrency {
        var read = Concurrency()
        read.most = try section.integer("most", default: read.most, in: 1...1_000)
        read.waiting = try section.integer("waiting", default: read.waiting, in: 0...100_000)
        read.patience = try section.duration("patience", default: read.patience, in: 0...60)
        try section.finish()
        return read
    }

    private static func breaker(_ section: SettingsSection) throws(SettingsError) -> Breaker? {
        let isEnabled = try section.boolean("enabled", default: true)
        var read = Breaker()
        read.failures = try section.integer("failures", default: read.failures, in: 1...10_000)
        read.share = try section.integer("share", default: read.share, in: 1...100)
        read.within = try section.duration("within", default: read.within, in: 1...3_600)
        read.openFor = try section.duration("open_for", default: read.openFor, in: 0.1...3_600)
        read.probes = try section.integer("probes", default: read.probes, in: 1...100)
        try section.finish()
        return isEnabled ? read : nil
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
