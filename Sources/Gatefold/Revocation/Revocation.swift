public import Foundation

/// A revocation of a subscriber's sessions in one publication that were issued before a given time.
public struct Revocation: Hashable, Sendable {
    public let publication: PublicationID
    public let subscriber: SubscriberPseudonym
    /// The session to end, or nil to end all sessions of the subscriber. A device's session reference ends the
    /// device's sessions.
    public let session: SessionPseudonym?
    /// The boundary, a whole second. Sessions issued before it end; sessions issued at or after it do not.
    public let before: Date
    /// The only session that does not end. A reader who changes the password on one device signs out all others.
    public let exempt: ExemptSession?

    /// Creates a revocation of all sessions issued up to and including `timestamp`. The boundary is the next whole
    /// second.
    public init(
        publication: PublicationID, subscriber: SubscriberPseudonym, session: SessionPseudonym?, at timestamp: Date
    ) {
        self.init(
            publication: publication, subscriber: subscriber, session: session,
            before: Date(timeIntervalSince1970: timestamp.timeIntervalSince1970.rounded(.down) + 1))
    }

    /// Creates a revocation of all sessions of the subscriber issued up to and including `timestamp`, except one.
    public init(
        publication: PublicationID, subscriber: SubscriberPseudonym, exempting exempt: ExemptSession, at timestamp: Date
    ) {
        self.init(
            publication: publication, subscriber: subscriber, session: nil,
            before: Date(timeIntervalSince1970: timestamp.timeIntervalSince1970.rounded(.down) + 1), exempt: exempt)
    }

    /// Creates a revocation of the sessions of an evicted device.
    ///
    /// - Parameters:
    ///   - publication: The identifier of the publication.
    ///   - subscriber: The pseudonym of the subscriber.
    ///   - device: The evicted device.
    ///   - recorded: The latest recorded boundary of the device's sessions or of all sessions of its subscriber. A
    ///     session opened in the second of a revocation counts as issued at the boundary, so the new boundary is after
    ///     the recorded one.
    ///   - timestamp: The time of the eviction. The device's last use may be later, because the clocks of several nodes
    ///     differ slightly.
    public init(
        publication: PublicationID, subscriber: SubscriberPseudonym, evicting device: Device, recorded: Date?,
        at timestamp: Date
    ) {
        self.init(
            publication: publication, subscriber: subscriber, session: SessionPseudonym(device.reference),
            at: max(timestamp, device.lastUsed, recorded ?? .distantPast))
    }

    public init(
        publication: PublicationID, subscriber: SubscriberPseudonym, session: SessionPseudonym?, before: Date,
        exempt: ExemptSession? = nil
    ) {
        self.publication = publication
        self.subscriber = subscriber
        self.session = session
        self.before = before
        // A session that does not end anyway is not spared, so that two revocations with the same effect are equal.
        self.exempt = exempt.flatMap { $0.issuedAt < before ? $0 : nil }
    }

    /// Returns whether the revocation ends a session of its scope.
    func ends(_ session: SessionPseudonym, issuedAt: Date) -> Bool {
        guard issuedAt < before else { return false }
        return !(exempt.map { $0.includes(session, issuedAt: issuedAt) } ?? false)
    }

    /// Returns one revocation that replaces this one and another of the same scope. It ends exactly the sessions
    /// that either ends.
    ///
    /// The result does not depend on the order in which revocations are joined, so all nodes and stores compute the
    /// same result.
    public func joined(with other: Revocation) -> Revocation {
        let (earlier, later) = before <= other.before ? (self, other) : (other, self)
        // Neither revocation ends sessions issued at or after the later boundary. Of the sessions issued earlier,
        // the later revocation leaves at most its spared session. The earlier revocation leaves that session if it
        // spares it too or if the session was issued at or after the earlier boundary.
        let exempt = later.exempt.map { exempt in
            let isExemptInBoth = earlier.exempt?.session == exempt.session
            let left = isExemptInBoth ? earlier.exempt.map(\.issuedAt) ?? earlier.before : earlier.before
            return ExemptSession(session: exempt.session, issuedAt: max(exempt.issuedAt, left))
        }
        return Revocation(
            publication: publication, subscriber: subscriber, session: session, before: later.before, exempt: exempt)
    }
}

/// A session that remains valid after a revocation of all sessions of its subscriber.
public struct ExemptSession: Hashable, Sendable {
    public let session: SessionPseudonym
    /// The issue time. An earlier session of the same device is not spared.
    public let issuedAt: Date

    public init(session: SessionPseudonym, issuedAt: Date) {
        self.session = session
        self.issuedAt = issuedAt
    }

    func includes(_ session: SessionPseudonym, issuedAt: Date) -> Bool {
        session == self.session && issuedAt >= self.issuedAt
    }
}
