/// A reader a check asks for, and what the answers should be; whatever is nil is not known, and not judged.
package struct CheckReader: Sendable {
    package enum State: String, Sendable, CaseIterable {
        case unknown, active, inactive, suspended, stale
    }

    package enum Issues: Sendable, Equatable {
        /// Everything: no list at all.
        case everything
        /// Nothing: a list with nothing in it.
        case nothing
        case listed(Set<String>)
    }

    package enum Renewal: String, Sendable, CaseIterable {
        /// Gives a token that is good.
        case token
        /// Gives another token that is stale as well, as to one of the test users.
        case stale
        case refused
    }

    /// What a subscriber system that can not answer keeps from being answered.
    package enum Failing: String, Sendable, CaseIterable {
        case signIn = "sign_in"
        case verification, renewal, credentials
    }

    package let name: String
    /// The fields of the sign-in; nil for a reader with a token and nothing else.
    package var signIn: [Field]?
    package var token: String?
    package var state: State?
    package var issues: Issues?
    /// Editions that the reader is given credentials for.
    package var holds: [String] = []
    /// Editions that the reader is not.
    package var lacks: [String] = []
    package var renewal: Renewal?
    package var failing: Set<Failing> = []
    /// Whether to ask what a wrong proof is answered: only readers who were chosen for it are asked for that.
    package var triesWrongProof = false
    /// Whether sign-in is to bring a password for the feed.
    package var hasOwnFeed: Bool?

    package init(_ name: String) {
        self.name = name
    }
}
