public import Gatefold

/// A publication as those apps see it that name themselves and no publication: Baker's and Basispress's.
public struct Storefront: Sendable {
    public let proxy: PublicationProxy
    /// Bundle identifiers.
    public let apps: [String]
    public let downloads: DownloadSite
    /// Nil where the publication has no Baker front door.
    public let baker: BakerSettings?
    public let servesBasispress: Bool
    let pushTokens: (any PushTokenStore)?
    let observe: @Sendable (StorefrontEvent) -> Void
    let shelf = DocumentMemory()
    let protocolDocument = DocumentMemory()

    /// - Parameters:
    ///   - pushTokens: nil forgets them.
    ///   - observe: told what happened; must return at once.
    public init(
        proxy: PublicationProxy, apps: [String], downloads: DownloadSite, baker: BakerSettings? = nil,
        servesBasispress: Bool = false, pushTokens: (any PushTokenStore)? = nil,
        observe: @escaping @Sendable (StorefrontEvent) -> Void = { _ in }
    ) {
        self.proxy = proxy
        self.apps = apps
        self.downloads = downloads
        self.baker = baker
        self.servesBasispress = servesBasispress
        self.pushTokens = pushTokens
        self.observe = observe
    }

    var catalogue: Catalogue {
        get throws(Unavailable) { try proxy.catalogue() }
    }
}

/// What happened at a storefront, for logs and metrics. Holds no token.
public enum StorefrontEvent: Sendable, Equatable {
    /// An app sent a push token.
    case pushToken(app: String, PushTokenStanding)

    public enum PushTokenStanding: String, Sendable, CaseIterable {
        case registered
        /// An iOS 13 description with most of the token left out, see ``PushTokenText/truncated``.
        case truncated
        case malformed
    }
}

/// The storefronts of a configuration, found by the apps that ask.
public struct Storefronts: Sendable {
    private let byApp: [String: Storefront]
    let baker: BakerRoutes

    /// Of two storefronts that name one app the first given has it.
    public init(_ all: [Storefront] = []) {
        byApp = Dictionary(all.flatMap { front in front.apps.map { ($0, front) } }) { first, _ in first }
        baker = BakerRoutes(all.compactMap(\.baker))
    }

    /// The storefront of an app, by its bundle identifier, spelt exactly.
    public subscript(app: String) -> Storefront? { byApp[app] }
}
