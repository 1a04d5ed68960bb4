extension ServiceCall {
    /// The purpose of a call, which decides the evidence that its responses must contain.
    enum Purpose: String, Sendable, CaseIterable {
        case signIn = "sign_in"
        case subscription
        case renew
        case verdict
        case signOut = "sign_out"
        case health

        /// A Boolean value that indicates whether the call is idempotent.
        var isQuery: Bool {
            switch self {
            case .subscription, .verdict, .health: true
            case .signIn, .renew, .signOut: false
            }
        }

        /// The configuration name of the rule that matches a positive response.
        var good: String { self == .verdict ? "granted" : "authenticated" }

        /// A Boolean value that indicates whether a positive response requires explicit evidence.
        var needsEvidence: Bool {
            switch self {
            case .signIn, .renew, .verdict: true
            case .subscription, .signOut, .health: false
            }
        }

        /// The statuses of a positive response. Default when the configuration names none: 200, and also 202 and
        /// 204 for sign-out and health.
        var defaultStatuses: Set<Int> {
            switch self {
            case .signOut, .health: [200, 202, 204]
            default: [200]
            }
        }
    }
}
