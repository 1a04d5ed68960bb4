import Gatefold

/// The calls of the Pugpig security API (PROTOCOLS 1.1); the raw value is the name in the path.
enum PugpigCall: String, CaseIterable, Sendable {
    case signIn = "sign_in"
    case renewToken = "renew_token"
    /// The same by its short name.
    case renew
    case verifySubscription = "verify_subscription"
    case editionCredentials = "edition_credentials"
    case signOut = "sign_out"

    /// Whether this is a path of the call, spelt exactly: `/NAME` or `/PUBLICATION/NAME`, with or without one slash at
    /// the end. The router is more generous; a cache in between may not be (PITFALLS row 16).
    func publication(in path: some StringProtocol) -> Addressed? {
        var segments = path.split(separator: "/", omittingEmptySubsequences: false)
        if segments.count > 2, segments.last?.isEmpty == true { segments.removeLast() }
        guard segments.first?.isEmpty == true, let name = segments.last, name.utf8.elementsEqual(rawValue.utf8) else {
            return nil
        }
        switch segments.count {
        case 2: return .theDefault
        case 3: return PublicationID(segments[1]).map { .named($0) }
        default: return nil
        }
    }

    enum Addressed: Equatable {
        case theDefault
        case named(PublicationID)
    }
}
