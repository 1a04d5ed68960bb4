extension ServiceCall {
    /// What a call is for, which decides what its answers must say to count.
    enum Purpose: String, Sendable, CaseIterable {
        case signIn = "sign_in"
        case subscription
        case renew
        case verdict
        case signOut = "sign_out"
        case health

        /// Whether asking twice is as good as asking once.
        var isQuestion: Bool {
            switch self {
            case .subscription, .verdict, .health: true
            case .signIn, .renew, .signOut: false
            }
        }

        /// The rule's name in the configuration for what is good news.
        var good: String { self == .verdict ? "granted" : "recognised" }

        /// Whether good news must be said in so many words.
        var needsEvidence: Bool {
            switch self {
            case .signIn, .renew, .verdict: true
            case .subscription, .signOut, .health: false
            }
        }

        /// What good news has for a status unless something else is said.
        var usualStatuses: Set<Int> {
            switch self {
            case .signOut, .health: [200, 202, 204]
            default: [200]
            }
        }
    }
}
