/// A backend with decisions of its own on single editions.
public protocol EditionDecidingBackend: SubscriberBackend {
    /// Decides on a single edition. A nil result defers to the subscription and the publication's policy.
    ///
    /// Only publications with the policy ``EntitlementPolicy/backendDecides`` query it. It must grant the same
    /// editions that ``SubscriberBackend/subscription(of:context:)`` lists.
    ///
    /// - Parameters:
    ///   - edition: The edition, or nil if the app named none.
    ///   - subscriber: The subscriber.
    ///   - context: The context of the call.
    func verdict(on edition: EditionID?, for subscriber: Subscriber, context: CallContext) async throws
        -> Fetched<EditionVerdict?>
}

/// A backend's own decision on one edition.
public enum EditionVerdict: Sendable, Equatable {
    case granted
    case rejected(CredentialsRejection.Reason?, message: String?)
    /// Only these subscriptions decide, each under the publication's policy. The edition is granted if one of them
    /// opens it, and otherwise refused with this reason and message.
    ///
    /// A backend that queries several systems returns it if some systems refused and the others defer to their
    /// subscriptions. The subscription of a system that refused must not open the edition.
    case deferred([Subscription], otherwise: CredentialsRejection.Reason?, message: String?)
}
