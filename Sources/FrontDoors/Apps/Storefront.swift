public import Gatefold

/// A publication for apps that name themselves and no publication: Baker and Basispress apps.
public struct Storefront: Sendable {
    public let authorizationService: AuthorizationService
    /// The bundle identifiers of the apps.
    public let apps: [String]
    public let downloads: DownloadSite
    /// The settings of the Baker front door, or `nil` if the publication has none.
    public let baker: BakerSettings?
    public let servesBasispress: Bool
    let pushTokens: (any PushTokenStore)?
    let observe: @Sendable (StorefrontEvent) -> Void
    let shelf = DocumentCache()
    let protocolDocument = DocumentCache()

    /// - Parameters:
    ///   - authorizationService: The use cases of the publication.
    ///   - apps: The apps that call the storefront, by bundle identifier or package name.
    ///   - downloads: The location of editions.
    ///   - baker: The settings of the Baker front door, or nil if the publication has none.
    ///   - servesBasispress: Whether the publication has the Basispress front door. Default: false.
    ///   - pushTokens: The store of push tokens. With `nil`, tokens are discarded.
    ///   - observe: Receives the events. Must return at once.
    public init(
        authorizationService: AuthorizationService, apps: [String], downloads: DownloadSite,
        baker: BakerSettings? = nil,
        servesBasispress: Bool = false, pushTokens: (any PushTokenStore)? = nil,
        observe: @escaping @Sendable (StorefrontEvent) -> Void = { _ in }
    ) {
        self.authorizationService = authorizationService
        self.apps = apps
        self.downloads = downloads
        self.baker = baker
        self.servesBasispress = servesBasispress
        self.pushTokens = pushTokens
        self.observe = observe
    }

    var catalogue: Catalogue {
        get throws(Unavailable) { try authorizationService.catalogue() }
    }
}

/// An event at a storefront, for logs and metrics. Contains no token.
public enum StorefrontEvent: Sendable, Equatable {
    /// An app sent a push token.
    case pushToken(app: String, PushTokenStatus)

    public enum PushTokenStatus: String, Sendable, CaseIterable {
        case registered
        /// A description by iOS 13 that omits most of the token, see `PushTokenText`.
        case truncated
        case malformed
    }
}

/// The storefronts of a configuration, by the apps that call them.
public struct Storefronts: Sendable {
    private let byApp: [String: Storefront]
    let baker: BakerRoutes

    /// Creates the storefronts. If two of them name the same app, the first one gets it.
    public init(_ all: [Storefront] = []) {
        byApp = Dictionary(all.flatMap { front in front.apps.map { ($0, front) } }) { first, _ in first }
        baker = BakerRoutes(all.compactMap(\.baker))
    }

    /// Returns the storefront of an app, by the exact spelling of its bundle identifier.
    public subscript(app: String) -> Storefront? { byApp[app] }
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
