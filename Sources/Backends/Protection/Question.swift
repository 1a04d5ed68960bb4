import Gatefold

/// One question to a backend.
enum Question: Sendable {
    case recognise(Credentials)
    case subscription(Subscriber)
    case renew(Subscriber)
    case verdict(EditionID?, Subscriber)
    case signOut(Subscriber)
    case health

    /// As the metrics name it.
    var kind: String {
        switch self {
        case .recognise: "recognise"
        case .subscription: "subscription"
        case .renew: "renew"
        case .verdict: "verdict"
        case .signOut: "sign_out"
        case .health: "health"
        }
    }

    /// Whether its answer may be remembered.
    var isRemembered: Bool {
        switch self {
        case .recognise, .subscription, .verdict: true
        case .renew, .signOut, .health: false
        }
    }

    /// Whose question it is, where that is known before the answer.
    var subscriber: Subscriber? {
        switch self {
        case .recognise, .health: nil
        case .subscription(let subscriber), .renew(let subscriber), .signOut(let subscriber): subscriber
        case .verdict(_, let subscriber): subscriber
        }
    }

    func put(to backend: any SubscriberBackend, _ inquiry: Inquiry) async throws -> Answer {
        switch self {
        case .recognise(let credentials):
            return .recognition(try await backend.recognise(credentials, inquiry: inquiry))
        case .subscription(let subscriber):
            return .subscription(try await backend.subscription(of: subscriber, inquiry: inquiry))
        case .renew(let subscriber):
            return .recognition(try await backend.renew(subscriber, inquiry: inquiry))
        case .verdict(let edition, let subscriber):
            return .verdict(try await backend.verdict(on: edition, for: subscriber, inquiry: inquiry))
        case .signOut(let subscriber):
            try await backend.signOut(subscriber, inquiry: inquiry)
            return .nothing
        case .health:
            try await backend.health()
            return .nothing
        }
    }
}

/// What a backend said.
enum Answer: Sendable, Equatable {
    case recognition(Recognition)
    case subscription(Subscription)
    /// Nil leaves the decision to the subscription.
    case verdict(EditionVerdict?)
    case nothing
}

/// An answer, and when the question was put: from then on it ages.
struct Told: Sendable {
    let answer: Answer
    let asked: Moment
}
