package import Foundation
package import Gatefold
package import Settings

/// How a publication's apps are told of new editions: its section `push`.
package struct PushSettings: Sendable {
    /// In the order they were written.
    package let apps: [PushApp]
    /// Whose tokens are meant unless said.
    package let environment: PushEnvironment
    /// The most notifications that are begun in a second.
    package let perSecond: Int
    /// The most that are under way at once: streams of the one connection.
    package let mostAtOnce: Int
    /// Whether an edition that comes out is told by itself.
    package let onPublish: Bool
    /// For how long APNs tries to reach a device that is off, in seconds; 0 for once.
    package let keepFor: TimeInterval
    package let service: APNsService

    /// Reads the section, and nothing but what it may have.
    package init(_ section: SettingsSection) throws(SettingsError) {
        environment = try section.choice("environment", default: .production)
        perSecond = try section.integer("per_second", default: 500, in: 1...100_000)
        mostAtOnce = try section.integer("most_at_once", default: 50, in: 1...1_000)
        onPublish = try section.boolean("on_publish", default: false)
        keepFor = try section.duration("keep_for", default: 86_400, in: 0...2_592_000)
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

/// One app that is told.
package struct PushApp: Sendable {
    /// Its bundle identifier.
    package let id: String
    package let credentials: PushCredentials
    /// Whether its notifications name the edition (`content-name`), which is the later of the two historic forms.
    package let namesEdition: Bool

    init(_ id: String, in apps: SettingsSection) throws(SettingsError) {
        guard id.wholeMatch(of: /[A-Za-z0-9][A-Za-z0-9._\-]{0,154}/) != nil else {
            throw apps.error(id, expected: "expected a bundle identifier such as com.example.daily")
        }
        let section = try apps.section(id)
        self.id = id
        credentials = try PushCredentials(section)
        namesEdition = try section.boolean("content_name", default: true)
        try section.finish()
    }
}
