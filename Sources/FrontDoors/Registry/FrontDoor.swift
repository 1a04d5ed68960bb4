package import Commerce
package import Gatefold
package import Settings

/// An app protocol, from its settings to its routes.
///
/// To add one, write a type that conforms to this protocol in a folder of its own, and add a line to
/// ``FrontDoorRegistry/standard``. Only ``name`` and ``snapshot(of:using:)`` have no default for a front door without
/// settings. The server creates each front door once, and takes a snapshot of it for each configuration.
package protocol FrontDoor: Sendable {
    /// The settings of a publication that has the front door; `Never` for a front door that every publication has.
    associatedtype PublicationSettings: Sendable = Never

    /// The name in the log and in the documentation.
    static var name: String { get }

    /// The first segments of the paths that do not depend on settings. No publication may have such a name.
    /// Default: none.
    static var pathSegments: Set<String> { get }

    /// A Boolean value that indicates whether responses contain download tokens, which the gate then accepts for the
    /// publication. Default: false.
    static var issuesDownloadTokens: Bool { get }

    /// Reads the settings of a publication.
    ///
    /// - Parameters:
    ///   - section: The section of the publication. Other settings of the publication are in it, too.
    ///   - publication: What was already read of the publication.
    /// - Returns: The settings, or `nil` if the publication does not have the front door.
    static func settings(
        in section: SettingsSection, of publication: PublicationOutline
    ) throws(SettingsError) -> PublicationSettings?

    /// Checks the rules that span several publications, or settings of the server. Default: no rules.
    static func check(_ outline: ConfigurationOutline) throws(SettingsError)

    /// Returns whether a path that depends on settings is a call of a publication's apps. Default: false.
    static func hasCall(at path: String, of publication: PublicationOutline) -> Bool

    /// Creates the front door, with what outlives a configuration.
    init()

    /// Returns what the front door serves of one configuration.
    func snapshot(of publications: ServedPublications, using services: FrontDoorServices) -> any FrontDoorSnapshot
}

extension FrontDoor {
    package static var pathSegments: Set<String> { [] }
    package static var issuesDownloadTokens: Bool { false }
    package static func check(_ outline: ConfigurationOutline) throws(SettingsError) {}
    package static func hasCall(at path: String, of publication: PublicationOutline) -> Bool { false }
}

extension FrontDoor where PublicationSettings == Never {
    package static func settings(
        in section: SettingsSection, of publication: PublicationOutline
    ) throws(SettingsError) -> Never? { nil }
}

/// What a front door serves of one configuration. A reload replaces it.
package protocol FrontDoorSnapshot: Sendable {
    /// Adds the routes of the configuration.
    func addRoutes(to routes: inout Routes)

    /// Reports a change of purchases to the affected apps. Default: none.
    func report(_ change: PurchaseChange, of publication: PublicationID) async throws
}

extension FrontDoorSnapshot {
    package func report(_ change: PurchaseChange, of publication: PublicationID) async throws {}
}
