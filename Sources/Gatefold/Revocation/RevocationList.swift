public import Foundation
import Synchronization

/// The revocations of one publication, in memory: reading a token asks no database.
///
/// A state store keeps them; whoever records one there adds it here too, and every node follows the store. They are in many
/// parts with a lock each, by subscriber: whatever looks at all of them holds up a decision for no longer than a part takes.
public final class RevocationList: Sendable {
    public let publication: PublicationID
    /// Noted with every revocation that ends anything more.
    public let changes = ChangeCount()
    private let parts = (0..<256).map { _ in RevocationListPart() }
    /// How many were taken in that ended anything more.
    private let taken = Atomic<Int>(0)
    private let expiry = Atomic<UInt32>(0)
    /// Ends every session issued before it; 0: none.
    private let lowest = Atomic<UInt32>(0)

    public init(publication: PublicationID) {
        self.publication = publication
    }

    /// References are digests, so that any byte of one spreads them evenly.
    private func part(of subscriber: SubscriberReference) -> RevocationListPart {
        parts[Int(truncatingIfNeeded: subscriber.number & 0xFF)]
    }

    /// Takes one in; those of other publications are passed over, and one of a scope that has one already is joined with it.
    ///
    /// - Parameter expires: when whatever it ends has expired; nil where only the store can say that.
    public func add(_ revocation: Revocation, expires: Date? = nil) {
        guard revocation.publication == publication else { return }
        // What is read back from the store ends nothing more.
        let endsMore = part(of: revocation.subscriber).add(revocation, expires: expires) {
            taken.wrappingAdd(1, ordering: .sequentiallyConsistent).newValue
        }
        if endsMore { changes.note() }
    }

    /// Ends every session issued before the moment, whosever it is: an older state was brought back, and what it does not know
    /// of any more may have been revoked. A floor never sinks.
    public func raiseFloor(to moment: Date) {
        let second = WholeSecond(roundingUp: moment)
        let (before, after) = lowest.max(second.value, ordering: .sequentiallyConsistent)
        if before != after { changes.note() }
    }

    private var floor: Date {
        let second = lowest.load(ordering: .sequentiallyConsistent)
        return second == 0 ? .distantPast : Date(timeIntervalSince1970: TimeInterval(second))
    }

    /// Rises with what is taken in, to be noted by whoever asks ``hasEndedAll(of:since:)`` later.
    var order: Int { taken.load(ordering: .sequentiallyConsistent) }

    /// Whether all sessions of a subscriber were ended since an order was noted.
    func hasEndedAll(of subscriber: SubscriberReference, since noted: Int) -> Bool {
        part(of: subscriber).order(of: subscriber).map { $0 > noted } ?? false
    }

    public func isRevoked(_ holder: SaltHolder) -> Bool {
        if holder.issuedAt < floor { return true }
        return part(of: holder.subscriber).ends(holder.subscriber, holder.session, issuedAt: holder.issuedAt)
    }

    /// The earliest moment at which a new session of this subscriber is not ended by what is already revoked.
    public func boundary(subscriber: SubscriberReference, session: SessionReference) -> Date {
        max(floor, part(of: subscriber).revocations(of: subscriber)?.boundary(of: session) ?? .distantPast)
    }

    /// The latest boundary of this subscriber, of whatever session: no session that was opened so far counts as issued after
    /// it, or after now.
    func boundary(subscriber: SubscriberReference) -> Date {
        max(floor, part(of: subscriber).revocations(of: subscriber)?.boundary ?? .distantPast)
    }

    /// What ends every session of a subscriber that was opened so far, or every one of a session's scope.
    ///
    /// A session opened in the second of a revocation counts as issued at its boundary, so this one lies behind all there are
    /// as well as behind the moment: two within a second end what was opened between them.
    public func ending(
        _ subscriber: SubscriberReference, session: SessionReference? = nil, at moment: Date
    ) -> Revocation {
        var latest = moment
        if let session {
            latest = max(latest, boundary(subscriber: subscriber, session: session))
        } else {
            latest = max(latest, boundary(subscriber: subscriber))
        }
        return Revocation(publication: publication, subscriber: subscriber, session: session, at: latest)
    }

    /// Forgets those that ended nothing but tokens that had expired by a moment, as the store has: see ``hasForgotten(_:)``.
    public func discard(expiredBy moment: Date) {
        let second = WholeSecond(roundingUp: moment)
        // Raised first: a token whose end is forgotten is never good meanwhile.
        expiry.max(second.value, ordering: .sequentiallyConsistent)
        for part in parts { part.discard(expiredBy: second) }
    }

    /// Whether the end of a token with this expiry may be forgotten: it expired long ago, whatever the clock or a renewal window
    /// that was lengthened since may say.
    public func hasForgotten(_ expiresAt: Date) -> Bool {
        let second = expiry.load(ordering: .sequentiallyConsistent)
        return second > 0 && expiresAt.timeIntervalSince1970 <= TimeInterval(second)
    }

    public var count: Int { parts.reduce(0) { $0 + $1.count } }
}
