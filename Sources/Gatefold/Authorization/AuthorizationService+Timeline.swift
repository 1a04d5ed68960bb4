/// The events of the timeline. ``report(_:of:)`` records refused calls.
extension AuthorizationService {
    /// Records an event of a reader whose backend and key are known. Costs an entry in a queue.
    func record(
        _ kind: TimelineEvent.Kind, of reader: Subscriber, as pseudonym: SubscriberPseudonym,
        device: DevicePseudonym? = nil, edition: EditionID? = nil, detail: String? = nil
    ) {
        timeline?.record(
            TimelineEvent(
                kind, in: publication.id, device: device, edition: edition, backend: reader.backend, detail: detail),
            of: .subscriber(pseudonym), reader: reader)
    }

    /// Records a refused sign-in of which it is not known to whom it belongs, by what was typed.
    ///
    /// The pseudonym of what was typed is computed for known readers too, so that the time tells nothing about whether a
    /// reader exists.
    func record(_ refusal: Refusal, typed: Credentials, _ context: CallContext) {
        guard let timeline else { return }
        let subject = timeline.subject(typed: typed.identifier)
        if refusal.subscriber == nil {
            timeline.recordUnverified(TimelineEvent(refusal), of: subject, client: context.client)
        }
    }
}
