package import Foundation
package import Gatefold
package import Settings

/// The section `push`: the notification of a publication's apps about new editions.
package struct PushSettings: Sendable {
    /// The apps, in the order of the configuration.
    package let apps: [PushApp]
    /// The default environment of tokens.
    package let environment: PushEnvironment
    /// The maximum number of notifications begun per second. Default: 500. Range: 1 to 100,000.
    package let perSecond: Int
    /// The maximum number of concurrent notifications, which are streams of the single connection. Default: 50.
    /// Range: 1 to 1,000.
    package let maxConcurrent: Int
    /// A Boolean value that indicates whether a published edition is announced automatically. Default: false.
    package let onPublish: Bool
    /// The time in seconds for which APNs tries to reach a device that is off; 0 for a single attempt. Default: 1
    /// day. Range: 0 s to 30 days.
    package let timeToLive: TimeInterval
    package let service: APNsService

    /// Reads the section and rejects unknown keys.
    package init(_ section: SettingsSection) throws(SettingsError) {
        environment = try section.choice("environment", default: .production)
        perSecond = try section.integer("per_second", default: 500, in: 1...100_000)
        maxConcurrent = try section.integer("max_concurrent", default: 50, in: 1...1_000)
        onPublish = try section.boolean("on_publish", default: false)
        timeToLive = try section.duration("ttl", default: 86_400, in: 0...2_592_000)
        service = try APNsService(section)
        let named = try section.requiredSection("apps", expected: "at least one app by its bundle identifier")
        var apps: [PushApp] = []
        for name in named.names { apps.append(try PushApp(name, in: named)) }
        if apps.isEmpty { throw section.error("apps", expected: "expected at least one app by its bundle identifier") }
        self.apps = apps
        try section.finish()
    }

    package func app(_ id: String) -> PushApp? { apps.first { $0.id == id } }
}

/// An app that receives notifications.
package struct PushApp: Sendable {
    /// The app's bundle identifier.
    package let id: String
    package let credentials: PushCredentials
    /// A Boolean value that indicates whether notifications name the edition (`content-name`), which is the later
    /// of the two historic formats. Default: true.
    package let includesEdition: Bool

    init(_ id: String, in apps: SettingsSection) throws(SettingsError) {
        guard id.wholeMatch(of: /[A-Za-z0-9][A-Za-z0-9._\-]{0,154}/) != nil else {
            throw apps.error(id, expected: "expected a bundle identifier such as com.example.daily")
        }
        let section = try apps.section(id)
        self.id = id
        credentials = try PushCredentials(section)
        includesEdition = try section.boolean("content_name", default: true)
        try section.finish()
    }
}
