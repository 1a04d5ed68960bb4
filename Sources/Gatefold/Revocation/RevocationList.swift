public import Foundation
import Primitives
import Synchronization

/// The revocations of one publication, in memory. Reading a token needs no database query.
///
/// A state store stores the revocations. Code that records a revocation there also adds it here, and every node
/// follows the store. The list consists of 256 parts by subscriber, each with its own lock. An operation on all
/// revocations therefore delays a decision by no more than the time for one part.
public final class RevocationList: Sendable {
    public let publication: PublicationID
    let parts = (0..<256).map { _ in RevocationListPart() }
    /// The number of added revocations that ended further sessions.
    private let taken = Atomic<Int>(0)
    private let expiry = Atomic<UInt32>(0)
    /// The floor in seconds: every session issued before it is ended. 0 means none.
    private let lowest = Atomic<UInt32>(0)

    public init(publication: PublicationID) {
        self.publication = publication
    }

    /// Returns the part of a subscriber. References are digests, so any of their bytes distributes them evenly.
    private func part(of subscriber: SubscriberPseudonym) -> RevocationListPart {
        parts[Int(truncatingIfNeeded: subscriber.number & 0xFF)]
    }

    /// Adds a revocation. Revocations of other publications are ignored. A revocation is joined with an existing
    /// one of the same scope.
    ///
    /// - Parameters:
    ///   - revocation: The revocation.
    ///   - expires: The time at which all sessions that the revocation ends have expired, or nil if only the store
    ///     knows it.
    public func add(_ revocation: Revocation, expires: Date? = nil) {
        guard revocation.publication == publication else { return }
        part(of: revocation.subscriber).add(revocation, expires: expires) {
            taken.wrappingAdd(1, ordering: .sequentiallyConsistent).newValue
        }
    }

    /// Ends all sessions issued before the given time, of every subscriber.
    ///
    /// It is needed after an older state was restored, because sessions unknown to that state may have been
    /// revoked. The floor never decreases.
    public func raiseFloor(to timestamp: Date) {
        let second = WholeSecond(roundingUp: timestamp)
        lowest.max(second.value, ordering: .sequentiallyConsistent)
    }

    /// The time before which all sessions are ended; `.distantPast` if there is none.
    package var floor: Date { Self.date(lowest) }

    /// The token expiry up to which revocations were discarded; `.distantPast` if none were.
    package var prunedUntil: Date { Self.date(expiry) }

    private static func date(_ second: borrowing Atomic<UInt32>) -> Date {
        let second = second.load(ordering: .sequentiallyConsistent)
        return second == 0 ? .distantPast : Date(timeIntervalSince1970: TimeInterval(second))
    }

    /// The sequence number of the latest revocation. Callers store it to call ``hasRevokedAll(of:since:)`` later.
    var order: Int { taken.load(ordering: .sequentiallyConsistent) }

    /// Returns whether all sessions of a subscriber were ended after the stored sequence number.
    func hasRevokedAll(of subscriber: SubscriberPseudonym, since noted: Int) -> Bool {
        part(of: subscriber).order(of: subscriber).map { $0 > noted } ?? false
    }

    public func isRevoked(_ subject: SaltSubject) -> Bool {
        if subject.issuedAt < floor { return true }
        return part(of: subject.subscriber).ends(subject.subscriber, subject.session, issuedAt: subject.issuedAt)
    }

    /// Returns the earliest issue time at which a new session of this subscriber is not ended by existing
    /// revocations.
    public func boundary(subscriber: SubscriberPseudonym, session: SessionPseudonym) -> Date {
        max(floor, part(of: subscriber).revocations(of: subscriber)?.boundary(of: session) ?? .distantPast)
    }

    /// Returns the latest boundary of this subscriber for any session. Every existing session counts as issued no
    /// later than the later of this boundary and the current time.
    package func boundary(subscriber: SubscriberPseudonym) -> Date {
        max(floor, part(of: subscriber).revocations(of: subscriber)?.boundary ?? .distantPast)
    }

    /// Returns the time before which all sessions of a subscriber are ended, and the number of sessions that are ended
    /// individually.
    func endedSessions(of subscriber: SubscriberPseudonym) -> (before: Date?, count: Int) {
        let revocations = part(of: subscriber).revocations(of: subscriber)
        return (revocations?.all?.before, revocations?.sessions.count ?? 0)
    }

    /// Returns a revocation that ends all existing sessions of a subscriber, or all in a session's scope.
    ///
    /// A session opened in the second of a revocation counts as issued at its boundary. The new boundary is
    /// therefore after `timestamp` and after all existing boundaries, so that two revocations within a second also end
    /// the sessions opened between them.
    public func makeRevocation(
        _ subscriber: SubscriberPseudonym, session: SessionPseudonym? = nil, at timestamp: Date
    ) -> Revocation {
        var latest = timestamp
        if let session {
            latest = max(latest, boundary(subscriber: subscriber, session: session))
        } else {
            latest = max(latest, boundary(subscriber: subscriber))
        }
        return Revocation(publication: publication, subscriber: subscriber, session: session, at: latest)
    }

    /// Discards revocations whose tokens had all expired by the given time, as the store does; see
    /// ``hasPruned(_:)``.
    public func discard(expiredBy timestamp: Date) {
        let second = WholeSecond(roundingUp: timestamp)
        // The limit rises first, so that a token whose revocation is discarded is never valid in between.
        expiry.max(second.value, ordering: .sequentiallyConsistent)
        for part in parts { part.discard(expiredBy: second) }
    }

    /// Returns whether the revocation of a token with this expiry may already have been discarded, so that the token
    /// must be rejected.
    ///
    /// Such a token expired long ago. The result holds even if the clock was set back or a renewal window became
    /// longer.
    public func hasPruned(_ expiresAt: Date) -> Bool {
        let second = expiry.load(ordering: .sequentiallyConsistent)
        return second > 0 && expiresAt.timeIntervalSince1970 <= TimeInterval(second)
    }

    public var count: Int { parts.reduce(0) { $0 + $1.count } }
}
