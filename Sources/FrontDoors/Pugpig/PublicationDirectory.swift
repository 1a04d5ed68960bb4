public import Gatefold

/// The publications a front door serves at one moment.
public struct PublicationDirectory: Sendable {
    /// The one whose calls have no publication in their path; nil where every call names one.
    public var `default`: PublicationProxy?
    public var byID: [PublicationID: PublicationProxy]
    /// Of the publications that apps find by their own name.
    public var storefronts: Storefronts

    public init(
        default: PublicationProxy? = nil, byID: [PublicationID: PublicationProxy] = [:],
        storefronts: Storefronts = Storefronts()
    ) {
        self.default = `default`
        self.byID = byID
        self.storefronts = storefronts
    }

    /// The publication of an app, by its bundle identifier.
    public func proxy(app: String) -> PublicationProxy? { storefronts[app]?.proxy }

    func proxy(for addressed: PugpigCall.Addressed) -> PublicationProxy? {
        switch addressed {
        case .theDefault: `default`
        case .named(let id): byID[id]
        }
    }
}
