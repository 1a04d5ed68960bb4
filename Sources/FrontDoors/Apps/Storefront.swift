package import Gatefold
import Settings

/// A publication for apps that name themselves and no publication, at one of the front doors for such apps.
package struct Storefront: Sendable {
    let authorizationService: AuthorizationService
    /// The bundle identifiers of the apps.
    let apps: [String]
    let downloads: DownloadSite
    let pushTokens: (any PushTokenStore)?
    let observe: @Sendable (StorefrontEvent) -> Void
    /// The cache of the front door's document about the catalogue.
    let documents = DocumentCache()

    /// - Parameters:
    ///   - authorizationService: The use cases of the publication.
    ///   - apps: The apps that call the storefront, by bundle identifier or package name.
    ///   - downloads: The location of editions.
    ///   - pushTokens: The store of push tokens. With `nil`, tokens are discarded.
    ///   - observe: Receives the events. Must return at once.
    package init(
        authorizationService: AuthorizationService, apps: [String], downloads: DownloadSite,
        pushTokens: (any PushTokenStore)? = nil, observe: @escaping @Sendable (StorefrontEvent) -> Void = { _ in }
    ) {
        self.authorizationService = authorizationService
        self.apps = apps
        self.downloads = downloads
        self.pushTokens = pushTokens
        self.observe = observe
    }

    /// Creates the storefront of a publication; `nil` if its downloads have no address.
    init?(of publication: ServedPublication, using services: FrontDoorServices) {
        guard let downloads = publication.downloads else { return nil }
        self.init(
            authorizationService: publication.authorizationService, apps: publication.apps, downloads: downloads,
            pushTokens: services.pushTokenStore, observe: services.reporter(publication.id))
    }

    var catalogue: Catalogue {
        get throws(Unavailable) { try authorizationService.catalogue() }
    }

    /// Returns storefronts by their apps, in the exact spelling of their bundle identifiers. If two storefronts name
    /// the same app, the first one gets it.
    static func byApp<Front>(_ all: [Front], _ storefront: (Front) -> Storefront) -> [String: Front] {
        Dictionary(all.flatMap { front in storefront(front).apps.map { ($0, front) } }) { first, _ in first }
    }
}

/// The rules of all front doors that have a storefront.
extension Storefront {
    /// Checks the other settings of the publication that a storefront needs.
    ///
    /// - Parameter key: The key of the front door.
    static func check(
        _ outline: PublicationOutline, _ key: String, in section: SettingsSection
    ) throws(SettingsError) {
        if outline.apps.isEmpty {
            throw section.error(key, expected: "needs `apps`, the bundle identifiers of the apps that call")
        }
        if outline.content == nil {
            throw section.error(key, expected: "needs `content`, where the apps are sent for their downloads")
        }
    }

    /// Checks the settings of the server that the storefronts at a front door need.
    static func check<Door: FrontDoor>(_ outline: ConfigurationOutline, of type: Door.Type) throws(SettingsError) {
        guard outline.publicURL == nil else { return }
        for publication in outline.publications where publication.frontDoors[type] != nil {
            throw outline.error(
                publication, expected: "needs `server.public_url` for the downloads of Baker and Basispress apps")
        }
    }
}

/// An event at a storefront, for logs and metrics. Contains no token.
package enum StorefrontEvent: Sendable, Equatable {
    /// An app sent a push token.
    case pushToken(app: String, PushTokenStatus)

    package enum PushTokenStatus: String, Sendable, CaseIterable {
        case registered
        /// A description by iOS 13 that omits most of the token, see `PushTokenText`.
        case truncated
        case malformed
    }
}

extension StorefrontEvent: ReportableEvent {
    package var report: EventReport {
        switch self {
        case .pushToken(let app, let status):
            let report = EventReport.counter("gatefold_push_tokens_total", ["result": status.rawValue])
            guard status == .truncated else { return report }
            // One warning per app is enough, because such an app sends its token at each launch.
            return report.log(
                .warning,
                "App sends the description of its push token, which iOS 13 and later truncate: it needs an update",
                ["app": app], once: app)
        }
    }
}
