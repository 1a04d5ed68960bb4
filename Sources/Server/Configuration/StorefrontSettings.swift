public import FrontDoors
import Settings

/// The front doors that find a publication by the calling app, as configured.
public struct StorefrontSettings: Sendable, Equatable {
    /// The Baker settings; nil if the publication has no Baker front door.
    public let baker: BakerSettings?
    public let servesBasispress: Bool

    /// Reads the storefront settings; returns nil if the publication has neither front door.
    ///
    /// - Parameters:
    ///   - section: The section of the publication.
    ///   - apps: The apps of the publication.
    ///   - hasContent: A Boolean value that indicates whether Gatefold checks the publication's downloads.
    ///   - reserved: The first segments that paths must not have.
    init?(
        _ section: SettingsSection, apps: [String], hasContent: Bool, reserved: Set<String>
    ) throws(SettingsError) {
        baker = try Self.baker(section, reserved)
        servesBasispress = try Self.basispress(section)
        guard baker != nil || servesBasispress else { return nil }
        let key = baker != nil ? "baker" : "basispress"
        if apps.isEmpty {
            throw section.error(key, expected: "needs `apps`, the bundle identifiers of the apps that call")
        }
        if !hasContent {
            throw section.error(key, expected: "needs `content`, where the apps are sent for their downloads")
        }
    }

    private static func baker(
        _ publication: SettingsSection, _ reserved: Set<String>
    ) throws(SettingsError) -> BakerSettings? {
        guard publication.has("baker") else { return nil }
        let section = try publication.section("baker")
        let isEnabled = try section.boolean("enabled", default: true)
        let paths = try section.section("paths")
        var templates: [BakerCall: PathTemplate] = [:]
        for call in BakerCall.allCases {
            guard let text = try paths.string(call.rawValue) else { continue }
            guard let template = PathTemplate(text) else {
                throw paths.error(
                    call.rawValue,
                    expected: "expected a path such as /shop/:user_id/purchases or /:app_id/issues, not `\(text)`")
            }
            if let first = template.first, reserved.subtracting(BakerCall.usualPathSegments).contains(first) {
                throw paths.error(call.rawValue, expected: "/\(first) has another meaning; expected another path")
            }
            templates[call] = template
        }
        try paths.finish()
        try section.finish()
        do {
            let settings = try BakerSettings(paths: templates)
            return isEnabled ? settings : nil
        } catch {
            throw SettingsError(origin: paths.origin, key: paths.key, expected: error.description)
        }
    }

    private static func basispress(_ publication: SettingsSection) throws(SettingsError) -> Bool {
        guard publication.has("basispress") else { return false }
        let section = try publication.section("basispress")
        let isEnabled = try section.boolean("enabled", default: true)
        try section.finish()
        return isEnabled
    }
}
