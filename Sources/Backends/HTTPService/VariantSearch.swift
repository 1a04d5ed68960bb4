import Gatefold

/// A search for the reader's variant of a service, which collects the results of the variants one by one.
///
/// A variant that failed never counts as one that rejects the reader, and never as one with an inactive
/// subscription.
struct VariantSearch {
    private let preference: HTTPService.Preference
    private var failure: (any Error)?
    private var last: Subscriber?
    private var found = 0
    private var areStatesKnown = true

    init(preference: HTTPService.Preference) {
        self.preference = preference
    }

    /// Returns whether the state of the subscriber just authenticated matters. It does not when the first variant
    /// wins, or when there is no other variant to choose from.
    func needsState(isLast: Bool) -> Bool {
        preference == .active && !(isLast && found == 0 && failure == nil)
    }

    mutating func authenticated(_ subscriber: Subscriber, isStateKnown: Bool) {
        last = subscriber
        found += 1
        if !isStateKnown { areStatesKnown = false }
    }

    mutating func failed(_ error: any Error) {
        failure = failure ?? error
    }

    /// Returns the result when no variant had an active subscription.
    ///
    /// - Throws: the first failure when no variant authenticated the reader, or ``ServiceFailure/undecided``.
    func end() throws -> AuthenticationResult {
        if let failure { throw last == nil ? failure : ServiceFailure.undecided }
        guard let last else { return .rejected(message: nil) }
        // With several candidates and an unknown state, any of them may be active, so the reader's variant is
        // unknown.
        guard areStatesKnown || found == 1 else { throw ServiceFailure.undecided }
        return .authenticated(last)
    }
}
