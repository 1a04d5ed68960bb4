public import Foundation
package import Settings

/// The settings of a concurrency limit: the configuration section `concurrency`. All keys have defaults. Times are
/// in seconds.
public struct ConcurrencySettings: Sendable, Equatable {
    /// The maximum number of concurrent queries. Default: 16. Range: 1 to 1,000.
    public var maxConcurrent = 16
    /// The number of queries that this process can make at a time, such as its connections; nil if nothing limits them.
    package var nodeLimit: Int?
    /// The maximum number of waiting queries. Default: 500. Range: 0 to 100,000.
    public var waiting = 500
    /// The maximum time that a query waits. Default: 2 s. Range: 0 s to 1 min.
    public var queueTimeout: TimeInterval = 2

    public init() {}

    /// Reads `max_concurrent`, `max_queued` and `queue_timeout`, and no other keys.
    ///
    /// - Throws: `SettingsError` for values out of range and for unknown keys.
    package init(_ section: SettingsSection) throws(SettingsError) {
        maxConcurrent = try section.integer("max_concurrent", default: maxConcurrent, in: 1...1_000)
        waiting = try section.integer("max_queued", default: waiting, in: 0...100_000)
        queueTimeout = try section.duration("queue_timeout", default: queueTimeout, in: 0...60)
        try section.finish()
    }
}
