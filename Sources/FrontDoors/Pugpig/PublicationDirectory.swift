public import Gatefold

/// The publications a front door serves at one moment.
public struct PublicationDirectory: Sendable {
    /// The one whose calls have no publication in their path; nil where every call names one.
    public var `default`: PublicationProxy?
    public var byID: [PublicationID: PublicationProxy]

    public init(default: PublicationProxy? = nil, byID: [PublicationID: PublicationProxy] = [:]) {
        self.default = `default`
        self.byID = byID
    }

    func proxy(for addressed: PugpigCall.Addressed) -> PublicationProxy? {
        switch addressed {
        case .theDefault: `default`
        case .named(let id): byID[id]
        }
    }
}
