package import Gatefold
package import Primitives

/// A publication of one configuration, as front doors serve it.
package struct ServedPublication: Sendable {
    package let authorizationService: AuthorizationService
    /// The apps of the publication, by bundle identifier or package name.
    package let apps: [String]
    package let settings: FrontDoorSettings
    package let tokenSecrets: SecretRing
    package let revocations: RevocationList
    /// The revocations of the other publications that share a registry of readers with this one.
    package let sharedRegistryPublications: [RevocationList]
    /// The verifier of the feed's credentials; nil if the publication issues none.
    package let feedVerifier: FeedCredentialsVerifier?
    /// The location of editions; nil if Gatefold does not protect them, or knows no public address of its own.
    package let downloads: DownloadSite?
    /// The limit on registrations and forgotten passwords.
    package let registrationThrottle: any LoginThrottling

    package init(
        _ authorizationService: AuthorizationService, apps: [String] = [],
        settings: FrontDoorSettings = FrontDoorSettings(), tokenSecrets: SecretRing, revocations: RevocationList,
        sharedRegistryPublications: [RevocationList] = [], feedVerifier: FeedCredentialsVerifier? = nil,
        downloads: DownloadSite? = nil, registrationThrottle: any LoginThrottling = UnlimitedLoginAttempts()
    ) {
        self.authorizationService = authorizationService
        self.apps = apps
        self.settings = settings
        self.tokenSecrets = tokenSecrets
        self.revocations = revocations
        self.sharedRegistryPublications = sharedRegistryPublications
        self.feedVerifier = feedVerifier
        self.downloads = downloads
        self.registrationThrottle = registrationThrottle
    }

    package var id: PublicationID { authorizationService.publication.id }
}

/// The publications of one configuration, as front doors serve them.
package struct ServedPublications: Sendable {
    package let all: [ServedPublication]
    package let directory: PublicationDirectory
    /// The URL at which apps reach this server, without a final slash.
    package let publicURL: String?

    package init(_ all: [ServedPublication], directory: PublicationDirectory, publicURL: String? = nil) {
        self.all = all
        self.directory = directory
        self.publicURL = publicURL
    }
}
