public import Foundation
package import Settings

/// The settings of a circuit breaker: the configuration section `breaker`. All keys have defaults. Times are in
/// seconds.
public struct BreakerSettings: Sendable, Equatable {
    /// The minimum number of failures within the window that opens the circuit breaker. Default: 5. Range: 1 to
    /// 10,000.
    public var failures = 5
    /// The minimum share of failures among all queries in the window, in percent. Default: 50. Range: 1 to 100.
    public var failurePercentage = 50
    public var within: TimeInterval = 30
    /// The time during which the open circuit breaker blocks all queries. Default: 10 s. Range: 0.1 s to 1 h.
    public var openDuration: TimeInterval = 10
    /// The maximum number of concurrent probe queries when the circuit breaker is half-open. Default: 1. Range: 1
    /// to 100.
    public var probes = 1

    public init() {}

    /// Reads `enabled`, `min_failures`, `failure_rate`, `window`, `open_duration` and `max_probes`, and no other keys.
    ///
    /// - Returns: The settings, or nil if the circuit breaker is disabled.
    /// - Throws: `SettingsError` for values out of range and for unknown keys.
    package static func read(_ section: SettingsSection) throws(SettingsError) -> BreakerSettings? {
        let isEnabled = try section.boolean("enabled", default: true)
        var read = BreakerSettings()
        read.failures = try section.integer("min_failures", default: read.failures, in: 1...10_000)
        read.failurePercentage = try section.integer("failure_rate", default: read.failurePercentage, in: 1...100)
        read.within = try section.duration("window", default: read.within, in: 1...3_600)
        read.openDuration = try section.duration("open_duration", default: read.openDuration, in: 0.1...3_600)
        read.probes = try section.integer("max_probes", default: read.probes, in: 1...100)
        try section.finish()
        return isEnabled ? read : nil
    }
}
