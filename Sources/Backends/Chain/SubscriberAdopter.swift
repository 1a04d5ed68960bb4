import Gatefold

/// A backend with a store of our own that can take over a reader whom another system recognised.
protocol SubscriberAdopter: SubscriberBackend {
    /// Writes the reader down as one who is known here, too: identifier, proof and subscription.
    ///
    /// - Parameters:
    ///   - credentials: right ones; the proof is kept as a hash only.
    ///   - subscription: what the other system says of the reader at present.
    /// - Throws: when it could not be written down; a later sign-in tries again.
    func adopt(_ credentials: Credentials, subscription: Subscription) async throws -> AdoptionOutcome
}

enum AdoptionOutcome: Sendable, Equatable {
    case written
    /// The reader was written down before, with the same proof and subscription.
    case unchanged
    /// Somebody of that identifier is there whom the operator wrote down: that is left alone.
    case notOurs
}
