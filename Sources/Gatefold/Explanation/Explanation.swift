package import Foundation

/// The reasons why a reader can or cannot open an edition: every step of the decision with its values, and the verdict.
///
/// It names no person: the reader appears as a pseudonym.
package struct Explanation: Sendable, Equatable {
    package let publication: PublicationID
    package let edition: EditionID
    /// The reader, or nil if no subscriber was found.
    package var reader: SubscriberPseudonym?
    /// The backend of the reader.
    package var backend: String?
    /// The time that the decision is about.
    package let timestamp: Date
    /// A Boolean value that indicates whether the time is another one than the present.
    package let isOtherTime: Bool
    package var verdict: Verdict
    /// The subscription that the app receives in a verification; nil if it cannot be determined.
    package var subscription: Subscription?
    /// A Boolean value that indicates whether every system was searched for the reader.
    package var isSearchComplete = true
    /// The steps, in the order of a decision.
    package var steps: [ExplanationStep]

    /// The result of a request for the credentials of the edition with a valid session.
    package enum Verdict: Sendable, Equatable {
        case granted
        /// Short-lived credentials, because the subscriber system is unavailable and the publication fails open.
        case grantedInOutage
        /// - Parameters:
        ///   - status: The reason that the app receives.
        ///   - reason: The reason for the operator.
        case rejected(CredentialsRejection.Reason?, RefusalReason)
        case unavailable(RefusalReason)
        /// The verdict depends on something that is not known: a system that cannot be searched, a session, the cached
        /// results of the server, or the state of a subscription at another time.
        case undecided

        /// A Boolean value that indicates whether the reader gets credentials.
        package var isGranted: Bool { self == .granted || self == .grantedInOutage }

        /// The name in reports and in the audit log.
        package var name: String {
            switch self {
            case .granted: "granted"
            case .grantedInOutage: "granted_in_outage"
            case .rejected: "rejected"
            case .unavailable: "unavailable"
            case .undecided: "undecided"
            }
        }

        package var reason: RefusalReason? {
            switch self {
            case .granted, .grantedInOutage, .undecided: nil
            case .rejected(_, let reason), .unavailable(let reason): reason
            }
        }
    }

    /// The step that prevents the reader from reading: the one with the reason of the verdict, or the first that fails.
    package var cause: ExplanationStep? {
        let failing = steps.filter { $0.outcome == .fails }
        return failing.first { $0.reason == verdict.reason } ?? failing.first
    }

    /// A Boolean value that indicates whether the reader can read the edition: the verdict grants it, and no step fails.
    package var opens: Bool { verdict.isGranted && cause == nil }

    /// The answer for a sign-in identifier.
    package enum Conclusion: Sendable {
        case opens, doesNotOpen
        /// A system is unavailable or cannot be searched, or the systems that have the reader disagree: the password then
        /// decides which of them counts.
        case unknown
    }

    /// Returns the answer from the explanations of all subscribers with the identifier.
    package static func conclusion(of explanations: [Explanation]) -> Conclusion {
        if explanations.allSatisfy(\.opens) { return .opens }
        let isKnown = explanations.allSatisfy { explanation in
            guard explanation.isSearchComplete, !explanation.opens else { return false }
            switch explanation.verdict {
            case .unavailable, .undecided: return false
            case .granted, .grantedInOutage, .rejected: return true
            }
        }
        return isKnown ? .doesNotOpen : .unknown
    }
}

/// One step of an explanation.
package struct ExplanationStep: Sendable, Equatable {
    /// The steps in the order of a decision.
    package enum Code: String, Sendable, CaseIterable {
        /// Whether a subscriber system of the publication has the reader.
        case reader
        /// Whether wrong passwords have locked the sign-in.
        case throttle
        /// The subscription according to the subscriber system.
        case subscription
        /// The purchases in the app stores.
        case purchases
        /// The editions that the subscription opens under the publication's policy.
        case policy
        /// Whether the catalogue has the edition, and whether it is published.
        case catalogue
        /// The subscriber system's own decision on the edition.
        case verdict
        /// Whether the limit of devices admits a sign-in.
        case devices
        /// Whether the reader's session was ended.
        case sessions
        /// The lifetime of the credentials.
        case credentials
        /// Whether the file is on this machine.
        case file
    }

    package enum Outcome: String, Sendable, CaseIterable {
        case passes
        case fails
        /// The step prevents a sign-in, and no session that exists.
        case warns
        case unknown
        /// The step does not matter for this reader and this edition.
        case notApplicable = "not_applicable"
    }

    /// A named value that the step depends on.
    package struct Value: Sendable, Equatable {
        package let name: String
        package let value: String

        package init(_ name: String, _ value: String) {
            self.name = name
            self.value = value
        }
    }

    package let code: Code
    package var outcome: Outcome
    package var values: [Value] = []
    /// The subscriber system that the values come from; nil if Gatefold has them.
    package var backend: String?
    package var freshness: Freshness?
    package var reason: RefusalReason?
    /// A Boolean value that indicates whether the values are those of the present, although the decision is about
    /// another time.
    package var isOfPresent = false

    package init(_ code: Code, _ outcome: Outcome, _ values: [Value] = [], reason: RefusalReason? = nil) {
        self.code = code
        self.outcome = outcome
        self.values = values
        self.reason = reason
    }

    /// The remedy for an operator; nil for a step that passes.
    package var remedy: String? { outcome == .passes ? nil : reason?.remedy }
}
