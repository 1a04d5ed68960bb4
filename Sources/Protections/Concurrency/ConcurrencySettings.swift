public import Foundation
package import Settings

/// How many questions a system is asked at once: the section `concurrency`. Everything has a default; times in seconds.
public struct ConcurrencySettings: Sendable, Equatable {
    /// The most questions that are asked at once.
    public var most = 16
    /// The most that wait their turn beside those.
    public var waiting = 500
    /// How long one waits at most.
    public var patience: TimeInterval = 2

    public init() {}

    /// Reads `most`, `waiting` and `patience`, and nothing else.
    ///
    /// - Throws: ``SettingsError`` for values out of range and for unknown keys.
    package init(_ section: SettingsSection) throws(SettingsError) {
        most = try section.integer("most", default: most, in: 1...1_000)
        waiting = try section.integer("waiting", default: waiting, in: 0...100_000)
        patience = try section.duration("patience", default: patience, in: 0...60)
        try section.finish()
    }
}
