import Foundation

/// The maximum speed of a campaign, and the number of notifications that a crash may repeat.
package struct PushLimits: Sendable, Equatable {
    package let maxConcurrent: Int
    package let perSecond: Int

    package init(maxConcurrent: Int, perSecond: Int) {
        self.maxConcurrent = maxConcurrent
        self.perSecond = perSecond
    }

    /// The maximum number of tokens that are sent to again after a crash.
    package var maxRepeatedSends: Int { max(100, 2 * maxConcurrent) }
    /// The number of tokens after which the position is stored.
    var maxUnsavedSends: Int { maxRepeatedSends / 2 }
    /// The maximum time in seconds between two writes of the position.
    var saveInterval: TimeInterval { 1 }
    /// The number of tokens, all unknown to APNs, that indicates wrong settings.
    static let maxUnknownTokens = 50
}
