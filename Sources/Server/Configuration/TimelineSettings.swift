package import Foundation
import Settings

/// The settings of the events of readers: the `timeline` section.
package struct TimelineSettings: Sendable, Equatable {
    /// A Boolean value that indicates whether events are recorded. Default: true.
    package let isEnabled: Bool
    /// The time after which an event is deleted, in seconds. Default: 90 days. Range: 1 day to 10 years.
    package let retention: TimeInterval
    /// The maximum number of events of one reader, a quarter of them in each category. Default: 500. Range: 10 to 100000.
    package let eventsPerReader: Int

    init(_ section: SettingsSection) throws(SettingsError) {
        isEnabled = try section.boolean("enabled", default: true)
        retention = try section.duration("retention", default: 90 * 86_400, in: 86_400...(3_650 * 86_400))
        eventsPerReader = try section.integer("events_per_reader", default: 500, in: 10...100_000)
        try section.finish()
    }
}
