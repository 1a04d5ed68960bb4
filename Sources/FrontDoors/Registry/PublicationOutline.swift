package import Commerce
package import ContentGate
package import Gatefold
package import Settings

/// What the configuration says about a publication, as far as front doors need it to read and check their settings.
package struct PublicationOutline: Sendable {
    package let publication: Publication
    /// A Boolean value that indicates whether only test readers sign in here.
    package let isTest: Bool
    /// The apps of the publication, by bundle identifier or package name.
    package let apps: [String]
    /// The content layout; nil if Gatefold neither serves nor checks the publication's downloads.
    package let content: ContentLayout?
    /// The kinds of the stores in which the publication sells.
    package let storeKinds: Set<StoreKind>
    /// The first path segments that have a meaning for all publications.
    package let reservedPathSegments: Set<String>
    /// The settings of the publication's front doors. Empty until they are read.
    package var frontDoors = FrontDoorSettings()

    package init(
        _ publication: Publication, isTest: Bool, apps: [String], content: ContentLayout?, storeKinds: Set<StoreKind>,
        reservedPathSegments: Set<String>
    ) {
        self.publication = publication
        self.isTest = isTest
        self.apps = apps
        self.content = content
        self.storeKinds = storeKinds
        self.reservedPathSegments = reservedPathSegments
    }

    package var id: PublicationID { publication.id }
}

/// What the configuration says about all publications, for rules that span several of them.
package struct ConfigurationOutline: Sendable {
    package let publications: [PublicationOutline]
    /// The URL at which apps reach this server.
    package let publicURL: String?
    package let registry: FrontDoorRegistry
    private let section: SettingsSection

    /// - Parameter section: The section of all publications.
    package init(
        _ publications: [PublicationOutline], publicURL: String?, registry: FrontDoorRegistry, section: SettingsSection
    ) {
        self.publications = publications
        self.publicURL = publicURL
        self.registry = registry
        self.section = section
    }

    package var names: [String] { publications.map(\.id.rawValue) }

    /// Returns an error about a publication.
    ///
    /// - Parameter expected: The whole message after the publication's key.
    package func error(_ publication: PublicationOutline, expected: String) -> SettingsError {
        section.error(publication.id.rawValue, expected: expected)
    }
}
