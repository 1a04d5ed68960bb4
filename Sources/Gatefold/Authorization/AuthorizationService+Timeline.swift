/// The events of the timeline that no refused call reports.
extension AuthorizationService {
    /// Records an event of a reader whose backend and key are known. Costs an entry in a queue.
    func record(
        _ kind: TimelineEvent.Kind, of reader: Subscriber, as pseudonym: SubscriberPseudonym,
        device: DevicePseudonym? = nil, edition: EditionID? = nil, detail: String? = nil
    ) {
        guard let timeline else { return }
        let isKnown = reader.backend != Subscriber.purchasesBackend
        timeline.record(
            TimelineEvent(
                kind, in: publication.id, device: device, edition: edition, backend: isKnown ? reader.backend : nil,
                detail: detail),
            of: .subscriber(pseudonym), reader: isKnown ? reader : nil)
    }

    /// Records a refused sign-in of which it is not known to whom it belongs, by what was typed. The receiver of refused calls
    /// records the others.
    ///
    /// The pseudonym of what was typed is computed for known readers too, so that the time tells nothing about whether a
    /// reader exists.
    ///
    /// - Parameters:
    ///   - refusal: The refusal as it is reported.
    ///   - found: The subscribers whom the backend found.
    func record(_ refusal: Refusal, typed: Credentials, found: FoundSubscribers = FoundSubscribers()) {
        guard let timeline else { return }
        let subject = timeline.subject(typed: typed.identifier)
        if let subscriber = refusal.subscriber {
            if let reader = found.all.first { timeline.identify(subscriber, as: reader) }
        } else {
            timeline.record(TimelineEvent(refusal), of: subject)
        }
    }
}
