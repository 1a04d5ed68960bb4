public import Gatefold

/// The publications that a front door serves at one time.
public struct PublicationDirectory: Sendable {
    /// The publication of calls without a publication in their path, or `nil` if every call must name one.
    public var `default`: AuthorizationService?
    public var byID: [PublicationID: AuthorizationService]

    public init(default: AuthorizationService? = nil, byID: [PublicationID: AuthorizationService] = [:]) {
        self.default = `default`
        self.byID = byID
    }

    func authorizationService(for selector: PugpigCall.PublicationSelector?) -> AuthorizationService? {
        switch selector {
        case .defaultPublication: `default`
        case .named(let id): byID[id]
        case nil: nil
        }
    }
}
