public import Gatefold

/// The publications that a front door serves at one time.
public struct PublicationDirectory: Sendable {
    /// The publication of calls without a publication in their path, or `nil` if every call must name one.
    public var `default`: AuthorizationService?
    public var byID: [PublicationID: AuthorizationService]
    /// The storefronts of the publications that apps find by their own name.
    public var storefronts: Storefronts

    public init(
        default: AuthorizationService? = nil, byID: [PublicationID: AuthorizationService] = [:],
        storefronts: Storefronts = Storefronts()
    ) {
        self.default = `default`
        self.byID = byID
        self.storefronts = storefronts
    }

    /// Returns the publication of an app, by its bundle identifier.
    public func authorizationService(app: String) -> AuthorizationService? { storefronts[app]?.authorizationService }

    func authorizationService(for selector: PugpigCall.PublicationSelector) -> AuthorizationService? {
        switch selector {
        case .defaultPublication: `default`
        case .named(let id): byID[id]
        }
    }
}
