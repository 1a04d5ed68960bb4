/// A reader for whom a check sends requests, with the expected responses. A property that is nil is unknown, and no
/// rule judges it.
package struct CheckReader: Sendable {
    package enum State: String, Sendable, CaseIterable {
        case unknown, active, inactive, suspended, stale
    }

    package enum Issues: Sendable, Equatable {
        /// Access to all editions: the response has no list.
        case everything
        /// Access to no edition: the response has an empty list.
        case nothing
        case listed(Set<String>)
    }

    package enum Renewal: String, Sendable, CaseIterable {
        /// The renewal returns a valid token.
        case token
        /// The renewal returns another token that is stale too, as for one of the test users.
        case stale
        case rejected
    }

    /// The calls that fail because the subscriber system is unavailable.
    package enum FailingCall: String, Sendable, CaseIterable {
        case signIn = "sign_in"
        case verification, renewal, credentials
    }

    package let name: String
    /// The fields of the sign-in; nil for a reader that has only a token.
    package var signIn: [Field]?
    package var token: String?
    package var state: State?
    package var issues: Issues?
    /// The editions for which the reader receives credentials.
    package var holds: [String] = []
    /// The editions for which the reader receives no credentials.
    package var lacks: [String] = []
    package var renewal: Renewal?
    package var failing: Set<FailingCall> = []
    /// A Boolean value that indicates whether the check tries the sign-in with a wrong proof. Only readers that the
    /// operator chose are tried. Default: false.
    package var triesWrongProof = false
    /// A Boolean value that indicates whether sign-in should return a password for the feed.
    package var hasOwnFeed: Bool?

    package init(_ name: String) {
        self.name = name
    }
}
