public import Foundation
import Synchronization

/// The revocations of one publication, in memory: reading a token asks no database.
///
/// A state store keeps them; whoever records one there adds it here too, and every node follows the store.
public final class RevocationList: Sendable {
    private struct Scope: Hashable {
        let subscriber: SubscriberReference
        let session: SessionReference?
    }

    private struct Held {
        var revocations: [Scope: Revocation] = [:]
        /// How many were taken in that ended anything more.
        var taken = 0
        /// Which of those was the latest that ends all sessions of a subscriber.
        var orders: [SubscriberReference: Int] = [:]
        /// Ends every session issued before it.
        var floor = Date.distantPast
    }

    public let publication: PublicationID
    /// Noted with every revocation that ends anything more.
    public let changes = ChangeCount()
    private let held = Mutex(Held())

    public init(publication: PublicationID) {
        self.publication = publication
    }

    /// Takes one in; those of other publications are passed over, and one of a scope that has one already is joined with it.
    public func add(_ revocation: Revocation) {
        guard revocation.publication == publication else { return }
        let scope = Scope(subscriber: revocation.subscriber, session: revocation.session)
        held.withLock { held in
            let before = held.revocations[scope]
            let joined = before?.joined(with: revocation) ?? revocation
            // What is read back from the store ends nothing more.
            if joined == before { return }
            held.revocations[scope] = joined
            held.taken += 1
            if scope.session == nil { held.orders[scope.subscriber] = held.taken }
            changes.note()
        }
    }

    /// Ends every session issued before the moment, whosever it is: an older state was brought back, and what it does not know
    /// of any more may have been revoked. A floor never sinks.
    public func raiseFloor(to moment: Date) {
        held.withLock { held in
            guard moment > held.floor else { return }
            held.floor = moment
            changes.note()
        }
    }

    /// Rises with what is taken in, to be noted by whoever asks ``hasEndedAll(of:since:)`` later.
    var order: Int { held.withLock { $0.taken } }

    /// Whether all sessions of a subscriber were ended since an order was noted.
    func hasEndedAll(of subscriber: SubscriberReference, since noted: Int) -> Bool {
        held.withLock { held in held.orders[subscriber].map { $0 > noted } ?? false }
    }

    public func isRevoked(_ holder: SaltHolder) -> Bool {
        held.withLock { held in
            if holder.issuedAt < held.floor { return true }
            if held.revocations.isEmpty { return false }
            return Self.scopes(holder.subscriber, holder.session).contains { scope in
                held.revocations[scope]?.ends(holder.session, issuedAt: holder.issuedAt) ?? false
            }
        }
    }

    /// The earliest moment at which a new session of this subscriber is not ended by what is already revoked.
    public func boundary(subscriber: SubscriberReference, session: SessionReference) -> Date {
        held.withLock { held in
            if held.revocations.isEmpty { return held.floor }
            return Self.scopes(subscriber, session).compactMap { held.revocations[$0]?.before }
                .reduce(held.floor, max)
        }
    }

    /// The latest boundary of this subscriber, of whatever session: no session that was opened so far counts as issued after
    /// it, or after now. Looks at all there are, so it is for what happens rarely.
    func boundary(subscriber: SubscriberReference) -> Date {
        held.withLock { held in
            held.revocations.lazy.filter { $0.key.subscriber == subscriber }.map(\.value.before)
                .reduce(held.floor, max)
        }
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

    private static func scopes(_ subscriber: SubscriberReference, _ session: SessionReference) -> [Scope] {
        [Scope(subscriber: subscriber, session: nil), Scope(subscriber: subscriber, session: session)]
    }

    /// Forgets those that can not matter any more, because whatever they ended has expired by itself.
    public func discard(before moment: Date) {
        held.withLock { held in
            held.revocations = held.revocations.filter { $0.value.before >= moment }
            let kept = held.revocations
            held.orders = held.orders.filter { kept[Scope(subscriber: $0.key, session: nil)] != nil }
        }
    }

    public var count: Int { held.withLock { $0.revocations.count } }
}
