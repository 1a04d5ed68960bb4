/// A refused call: the reason, the reader, and what decided.
///
/// It contains no credential, no token and no name, so that it can be logged. An unknown reader has no identifier.
public struct Refusal: Sendable, Equatable {
    public let reason: RefusalReason
    public let call: RefusedCall
    public var publication: PublicationID?
    public var subscriber: SubscriberPseudonym?
    /// The requested edition, if the text is an identifier.
    public var edition: EditionID?
    /// The subscriber system that decided or failed; nil if Gatefold decided alone.
    public var backend: String?
    /// The freshness of the subscriber system's statement; nil without one.
    public var freshness: Freshness?
    /// A finer name of the reason, from a fixed set.
    public var detail: String?

    public init(
        _ reason: RefusalReason, _ call: RefusedCall, of publication: PublicationID? = nil,
        subscriber: SubscriberPseudonym? = nil, edition: EditionID? = nil, backend: String? = nil,
        freshness: Freshness? = nil, detail: String? = nil
    ) {
        self.reason = reason
        self.call = call
        self.publication = publication
        self.subscriber = subscriber
        self.edition = edition
        self.backend = backend
        self.freshness = freshness
        self.detail = detail
    }
}
