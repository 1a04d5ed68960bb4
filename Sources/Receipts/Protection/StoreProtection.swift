public import Foundation
public import Resilience
package import Settings

/// The protection of the queries to one store: the keys `deadline`, `concurrency` and `breaker` of its settings.
/// All keys have defaults. Times are in seconds.
public struct StoreProtection: Sendable, Equatable {
    /// The time limit of one query, from its admission to the end of the response. Default: 10 s. Range: 0.01 s to
    /// 300 s.
    public var deadline: TimeInterval = 10
    public var concurrency = ConcurrencySettings()
    /// The settings of the circuit breaker, or nil if it is disabled.
    public var breaker: BreakerSettings? = BreakerSettings()

    public init() {}

    /// Reads the settings. The section may have more keys, so the caller calls `finish()`.
    ///
    /// - Throws: ``SettingsError`` for values out of range and for unknown keys.
    package init(_ section: SettingsSection) throws(SettingsError) {
        deadline = try section.duration("deadline", default: deadline, in: 0.01...300)
        concurrency = try ConcurrencySettings(try section.section("concurrency"))
        breaker = try BreakerSettings.read(try section.section("breaker"))
    }
}
