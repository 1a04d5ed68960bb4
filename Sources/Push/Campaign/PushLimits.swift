import Foundation

/// How fast a campaign may go, and how much of it a crash may repeat.
package struct PushLimits: Sendable, Equatable {
    package let mostAtOnce: Int
    package let perSecond: Int

    package init(mostAtOnce: Int, perSecond: Int) {
        self.mostAtOnce = mostAtOnce
        self.perSecond = perSecond
    }

    /// The most tokens that are sent to again after a crash.
    package var mostRepeated: Int { max(100, 2 * mostAtOnce) }
    /// After so many tokens the place is kept.
    var keptEvery: Int { mostRepeated / 2 }
    /// The place is kept as often as this, in seconds.
    var keptWithin: TimeInterval { 1 }
    /// If APNs knows not one of so many tokens, something is wrong with the settings.
    static let mostStrangers = 50
}
