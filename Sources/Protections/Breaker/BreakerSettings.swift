public import Foundation
package import Settings

/// When a circuit breaker opens, and for how long: the section `breaker`. Everything has a default; times in seconds.
public struct BreakerSettings: Sendable, Equatable {
    /// So many failures within the window open it,
    public var failures = 5
    /// if they are at least so many in a hundred of all questions of the window.
    public var share = 50
    public var within: TimeInterval = 30
    /// For how long nothing is asked then.
    public var openFor: TimeInterval = 10
    /// How many questions at once may try whether the system is back.
    public var probes = 1

    public init() {}

    /// Reads `enabled`, `failures`, `share`, `within`, `open_for` and `probes`, and nothing else.
    ///
    /// - Returns: nil where it is switched off.
    /// - Throws: ``SettingsError`` for values out of range and for unknown keys.
    package static func read(_ section: SettingsSection) throws(SettingsError) -> BreakerSettings? {
        let isEnabled = try section.boolean("enabled", default: true)
        var read = BreakerSettings()
        read.failures = try section.integer("failures", default: read.failures, in: 1...10_000)
        read.share = try section.integer("share", default: read.share, in: 1...100)
        read.within = try section.duration("within", default: read.within, in: 1...3_600)
        read.openFor = try section.duration("open_for", default: read.openFor, in: 0.1...3_600)
        read.probes = try section.integer("probes", default: read.probes, in: 1...100)
        try section.finish()
        return isEnabled ? read : nil
    }
}
