/// The reader of an explanation.
package struct ExplanationSubject: Sendable {
    package let subscriber: Subscriber
    /// The token of the app, if it is known. The steps about the session are exact only with a token.
    package var token: String?
    /// The sign-in identifier, if it is known. The login throttle counts by it.
    package var identifier: String?
    /// The device that the app names, if it is known.
    package var device: String?
    /// The lookup that found the reader; nil if none was necessary.
    package var lookup: ReaderLookup?

    package init(
        _ subscriber: Subscriber, token: String? = nil, identifier: String? = nil, device: String? = nil,
        lookup: ReaderLookup? = nil
    ) {
        self.subscriber = subscriber
        self.token = token
        self.identifier = identifier
        self.device = device
        self.lookup = lookup
    }
}
