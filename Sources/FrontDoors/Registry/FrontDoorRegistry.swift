package import Settings

/// The front doors of a server, in their order of precedence.
package struct FrontDoorRegistry: Sendable {
    /// The front doors of Gatefold.
    package static let standard = FrontDoorRegistry([
        BakerFrontDoor.self,
        InPlayerFrontDoor.self,
        CloudSoftphoneFrontDoor.self,
        StoreNotificationsFrontDoor.self,
        PugpigFeedDoor.self,
        PugpigFrontDoor.self,
        BasispressFrontDoor.self,
        LinkingFrontDoor.self,
        SampleAppFrontDoor.self,
    ])

    package let types: [any FrontDoor.Type]

    package init(_ types: [any FrontDoor.Type]) {
        self.types = types
    }

    /// The first segments of the paths of all front doors that do not depend on settings.
    package var pathSegments: Set<String> { types.reduce(into: []) { $0.formUnion($1.pathSegments) } }

    /// Creates the front doors.
    package func make() -> [any FrontDoor] { types.map { $0.init() } }

    /// Reads the settings of all front doors of a publication.
    ///
    /// - Parameters:
    ///   - section: The section of the publication.
    ///   - publication: What was already read of the publication.
    package func settings(
        in section: SettingsSection, of publication: PublicationOutline
    ) throws(SettingsError) -> FrontDoorSettings {
        var settings = FrontDoorSettings()
        for type in types { try settings.read(type, section, publication) }
        return settings
    }

    /// Checks the rules of all front doors that span several publications.
    package func check(_ outline: ConfigurationOutline) throws(SettingsError) {
        for type in types { try type.check(outline) }
    }
}

/// The settings of one publication's front doors, each found by the front door's type.
package struct FrontDoorSettings: Sendable {
    private var byType: [ObjectIdentifier: any Sendable] = [:]
    /// A Boolean value that indicates whether one of the front doors issues download tokens.
    package private(set) var issuesDownloadTokens = false

    package init() {}

    /// The settings, or `nil` if the publication does not have the front door.
    package subscript<Door: FrontDoor>(type: Door.Type) -> Door.PublicationSettings? {
        byType[ObjectIdentifier(type)] as? Door.PublicationSettings
    }

    fileprivate mutating func read<Door: FrontDoor>(
        _ type: Door.Type, _ section: SettingsSection, _ publication: PublicationOutline
    ) throws(SettingsError) {
        guard let settings = try type.settings(in: section, of: publication) else { return }
        byType[ObjectIdentifier(type)] = settings
        if type.issuesDownloadTokens { issuesDownloadTokens = true }
    }
}
