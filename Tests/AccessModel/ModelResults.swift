public import Gatefold

/// The status of a token at a time.
public enum TokenStatus: Sendable, Equatable {
    case missing
    /// A text that is no token of this publication.
    case unreadable
    /// The session was ended.
    case ended
    case good
    /// The token has expired and can be renewed.
    case renewable
    case expired
}

/// A result of the subscriber system.
public enum Received<Value: Sendable>: Sendable {
    /// A current result, from a query or the fresh cache.
    case current(Value)
    /// The last known good result during an outage.
    case servesCached(Value)
    /// No result, because the system is unavailable.
    case unavailable

    public var value: Value? {
        switch self {
        case .current(let value), .servesCached(let value): value
        case .unavailable: nil
        }
    }

    /// Whether the result is the last known good one during an outage.
    public var isLastKnownGood: Bool {
        if case .servesCached = self { true } else { false }
    }

    public func map<Other>(_ change: (Value) throws -> Other) rethrows -> Received<Other> {
        switch self {
        case .current(let value): .current(try change(value))
        case .servesCached(let value): .servesCached(try change(value))
        case .unavailable: .unavailable
        }
    }
}

/// The correct result of a verification.
public enum ModelVerification: Sendable, Equatable {
    case reported(SubscriptionState, Entitlement)
    /// No result: the app keeps its state.
    case unavailable
}

/// The correct result of a request for edition credentials.
public enum ModelCredentials: Sendable, Equatable {
    case granted
    /// Short-lived credentials, because no result is available.
    case grantedForNow
    case rejected(CredentialsRejection.Reason?)
    case unavailable
}
