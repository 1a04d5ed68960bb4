public import Foundation

/// Ends the sessions of a subscriber in one publication that were issued before a moment.
public struct Revocation: Hashable, Sendable {
    public let publication: PublicationID
    public let subscriber: SubscriberReference
    /// Nil ends all sessions of the subscriber. A device's session reference ends the device's.
    public let session: SessionReference?
    /// A whole second. Sessions issued before it are ended, those issued at it or later are not.
    public let before: Date
    /// The one session that is not ended: whoever changes their password on one device signs out all others.
    public let spared: SparedSession?

    /// Ends everything issued up to and including `moment`: the next whole second after it is the boundary.
    public init(
        publication: PublicationID, subscriber: SubscriberReference, session: SessionReference?, at moment: Date
    ) {
        self.init(
            publication: publication, subscriber: subscriber, session: session,
            before: Date(timeIntervalSince1970: moment.timeIntervalSince1970.rounded(.down) + 1))
    }

    /// Ends everything of the subscriber issued up to and including `moment` but one session.
    public init(
        publication: PublicationID, subscriber: SubscriberReference, sparing spared: SparedSession, at moment: Date
    ) {
        self.init(
            publication: publication, subscriber: subscriber, session: nil,
            before: Date(timeIntervalSince1970: moment.timeIntervalSince1970.rounded(.down) + 1), spared: spared)
    }

    /// Ends the sessions of a device that makes room for another.
    ///
    /// - Parameters:
    ///   - recorded: the latest boundary on record for the device's sessions or all of its subscriber's. A session opened
    ///     in the second of a revocation counts as issued at the boundary, so this one lies behind it.
    ///   - moment: of the eviction; clocks of several machines are a little out of order, so the device may be used later.
    public init(
        publication: PublicationID, subscriber: SubscriberReference, evicting device: Device, recorded: Date?,
        at moment: Date
    ) {
        self.init(
            publication: publication, subscriber: subscriber, session: SessionReference(device.reference),
            at: max(moment, device.lastUsed, recorded ?? .distantPast))
    }

    public init(
        publication: PublicationID, subscriber: SubscriberReference, session: SessionReference?, before: Date,
        spared: SparedSession? = nil
    ) {
        self.publication = publication
        self.subscriber = subscriber
        self.session = session
        self.before = before
        // One that is not ended anyway is not spared: two that end the same are equal.
        self.spared = spared.flatMap { $0.issuedAt < before ? $0 : nil }
    }

    /// Whether a session of this scope is ended.
    func ends(_ session: SessionReference, issuedAt: Date) -> Bool {
        guard issuedAt < before else { return false }
        return !(spared.map { $0.includes(session, issuedAt: issuedAt) } ?? false)
    }

    /// This one and another of the same scope as one: it ends what either ends, and nothing else.
    ///
    /// In whatever order revocations are joined, the result is the same: every node and every store comes to it.
    public func joined(with other: Revocation) -> Revocation {
        let (earlier, later) = before <= other.before ? (self, other) : (other, self)
        // What is issued at the later boundary or after it neither ends. Of what is issued before, the later one leaves at
        // most its spared session, and the earlier one leaves of that what it spares itself, or what came after its boundary.
        let spared = later.spared.map { spared in
            let isSparedByBoth = earlier.spared?.session == spared.session
            let left = isSparedByBoth ? earlier.spared.map(\.issuedAt) ?? earlier.before : earlier.before
            return SparedSession(session: spared.session, issuedAt: max(spared.issuedAt, left))
        }
        return Revocation(
            publication: publication, subscriber: subscriber, session: session, before: later.before, spared: spared)
    }
}

/// A session that outlives a revocation of all of its subscriber's.
public struct SparedSession: Hashable, Sendable {
    public let session: SessionReference
    /// When it was issued: an earlier one of the same device is not spared.
    public let issuedAt: Date

    public init(session: SessionReference, issuedAt: Date) {
        self.session = session
        self.issuedAt = issuedAt
    }

    func includes(_ session: SessionReference, issuedAt: Date) -> Bool {
        session == self.session && issuedAt >= self.issuedAt
    }
}
