import Gatefold

/// Decides which of a service's variants is a reader's, as they answer one after the other.
///
/// One that could not be asked is never taken for one that does not know the reader, and never for an inactive one.
struct VariantSearch {
    private let preference: HTTPService.Preference
    private var failure: (any Error)?
    private var last: Subscriber?
    private var found = 0
    private var areStatesKnown = true

    init(preference: HTTPService.Preference) {
        self.preference = preference
    }

    /// Whether the state of a subscriber who was recognised now matters: not when the first wins, nor when there is nobody
    /// else to choose from.
    func needsState(isLast: Bool) -> Bool {
        preference == .active && !(isLast && found == 0 && failure == nil)
    }

    mutating func recognised(_ subscriber: Subscriber, isStateKnown: Bool) {
        last = subscriber
        found += 1
        if !isStateKnown { areStatesKnown = false }
    }

    mutating func failed(_ error: any Error) {
        failure = failure ?? error
    }

    /// The answer when none was active.
    func end() throws -> Recognition {
        if let failure { throw last == nil ? failure : ServiceFailure.undecided }
        guard let last else { return .notRecognised(message: nil) }
        // Of several, one of which may be active after all, none is known to be the reader's.
        guard areStatesKnown || found == 1 else { throw ServiceFailure.undecided }
        return .recognised(last)
    }
}
