public import Foundation
public import Protections
package import Settings

/// How the questions to one store are protected: the keys `deadline`, `concurrency` and `breaker` of its settings.
/// Everything has a default; times in seconds.
public struct StoreProtection: Sendable, Equatable {
    /// How long one question may take, from its turn to the end of the answer.
    public var deadline: TimeInterval = 10
    public var concurrency = ConcurrencySettings()
    /// Nil where it is switched off.
    public var breaker: BreakerSettings? = BreakerSettings()

    public init() {}

    /// The section may have more keys: whoever has it calls `finish()`.
    ///
    /// - Throws: ``SettingsError`` for values out of range and for unknown keys.
    package init(_ section: SettingsSection) throws(SettingsError) {
        deadline = try section.duration("deadline", default: deadline, in: 0.01...300)
        concurrency = try ConcurrencySettings(try section.section("concurrency"))
        breaker = try BreakerSettings.read(try section.section("breaker"))
    }
}
