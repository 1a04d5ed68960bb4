import Gatefold

/// A backend with a store of our own that can take over a reader whom another system recognised.
protocol SubscriberAdopter: SubscriberBackend {
    /// Writes the reader down as one who is known here, too: identifier, proof and subscription.
    ///
    /// - Parameters:
    ///   - credentials: right ones; the proof is kept as a hash only.
    ///   - origins: who the reader is in each system that recognised them, at least one.
    ///   - subscription: what the other systems say of the reader at present.
    /// - Throws: when it could not be written down; a later sign-in tries again.
    func adopt(
        _ credentials: Credentials, from origins: [AdoptionOrigin], subscription: Subscription
    ) async throws -> AdoptionOutcome
}

/// Who an adopted reader is elsewhere: an identifier alone may be two people's in two systems.
struct AdoptionOrigin: Sendable, Equatable {
    let backend: String
    /// To the reader there.
    let reference: SubscriberReference
}

enum AdoptionOutcome: Sendable, Equatable {
    case written
    /// The reader was written down before, with the same proof and subscription.
    case unchanged
    /// Somebody of that identifier is there whom the operator wrote down: that is left alone.
    case notOurs
    /// A reader of another system's with that identifier is there: that is left alone.
    case othersReader(backend: String)
}
