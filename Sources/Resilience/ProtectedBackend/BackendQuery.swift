import Gatefold

/// A query to a backend.
enum BackendQuery: Sendable {
    case authenticate(Credentials)
    case subscription(Subscriber)
    case renew(Subscriber)
    case verdict(EditionID?, Subscriber)
    case signOut(Subscriber)
    case health

    /// The name of the query in metrics.
    var kind: String {
        switch self {
        case .authenticate: "authenticate"
        case .subscription: "subscription"
        case .renew: "renew"
        case .verdict: "verdict"
        case .signOut: "sign_out"
        case .health: "health"
        }
    }

    /// A Boolean value that indicates whether the result may be cached.
    var isCached: Bool {
        switch self {
        case .authenticate, .subscription, .verdict: true
        case .renew, .signOut, .health: false
        }
    }

    /// The subscriber that the query concerns, if known before the result.
    var subscriber: Subscriber? {
        switch self {
        case .authenticate, .health: nil
        case .subscription(let subscriber), .renew(let subscriber), .signOut(let subscriber): subscriber
        case .verdict(_, let subscriber): subscriber
        }
    }

    func put(to backend: any SubscriberBackend, _ context: CallContext) async throws -> BackendResult {
        switch self {
        case .authenticate(let credentials):
            return .authentication(try await backend.authenticate(credentials, context: context))
        case .subscription(let subscriber):
            return .subscription(try await backend.subscription(of: subscriber, context: context))
        case .renew(let subscriber):
            return .authentication(try await backend.renew(subscriber, context: context))
        case .verdict(let edition, let subscriber):
            return .verdict(try await backend.verdict(on: edition, for: subscriber, context: context))
        case .signOut(let subscriber):
            try await backend.signOut(subscriber, context: context)
            return .nothing
        case .health:
            try await backend.health()
            return .nothing
        }
    }
}

/// The result of a query.
enum BackendResult: Sendable, Equatable {
    case authentication(AuthenticationResult)
    case subscription(Subscription)
    /// A verdict; `nil` leaves the decision to the subscription.
    case verdict(EditionVerdict?)
    case nothing
}

/// A result with the start of its query, from which its age counts.
struct TimestampedResult: Sendable {
    let result: BackendResult
    let queried: LogicalTimestamp
}
