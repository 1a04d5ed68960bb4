/// The reports of refused calls. Every use case reports its own refusals, so that no front door can forget one.
extension AuthorizationService {
    /// Returns a refusal of this publication.
    package func refusal(
        _ reason: RefusalReason, _ call: RefusedCall, of subscriber: SubscriberPseudonym? = nil,
        edition: EditionID? = nil, by backend: String? = nil, _ freshness: Freshness? = nil
    ) -> Refusal {
        Refusal(
            reason, call, of: publication.id, subscriber: subscriber, edition: edition, backend: backend,
            freshness: freshness)
    }

    /// Reports a refused call. If its reader is known, it is also an event of the reader.
    ///
    /// An edition that the catalogue does not list may be any text of the client, so the event does not contain it.
    ///
    /// - Parameter reader: The backend and the key of the refusal's subscriber, if the caller has them.
    package func report(_ refusal: Refusal, of reader: Subscriber? = nil) {
        reportRefusal(refusal)
        guard let timeline, let subscriber = refusal.subscriber else { return }
        var event = TimelineEvent(refusal)
        event.edition = refusal.edition.flatMap { publication.rule.catalogue[$0] == nil ? nil : $0 }
        timeline.record(event, of: .subscriber(subscriber), reader: reader)
    }

    /// Reports that a call could not be processed, and returns the error for the caller to throw.
    package func refused(
        _ failure: Unavailable, _ call: RefusedCall, of subscriber: SubscriberPseudonym? = nil,
        edition: EditionID? = nil, by backend: String? = nil
    ) -> Unavailable {
        let failed = failure.reason == .backendUnavailable ? backend ?? self.backend.name : nil
        report(refusal(failure.reason, call, of: subscriber, edition: edition, by: failed))
        return failure
    }
}

extension TokenReadResult {
    /// Returns the reason for which a call with the token is refused, and its reader if the token names one; nil for a
    /// valid token.
    ///
    /// - Parameter token: The text of the token.
    package func refusal(_ token: String) -> (reason: RefusalReason, subscriber: SubscriberPseudonym?)? {
        switch self {
        case .good: nil
        case .renewable(let authenticated): (.tokenExpired, authenticated.reference)
        case .expired(let subscriber): (.tokenExpired, subscriber)
        case .revoked(let subscriber): (.sessionRevoked, subscriber)
        case .unreadable: (token.isEmpty ? .tokenMissing : .tokenUnreadable, nil)
        }
    }
}
