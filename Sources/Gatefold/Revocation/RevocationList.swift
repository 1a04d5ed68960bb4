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

    public let publication: PublicationID
    private let boundaries = Mutex<[Scope: Date]>([:])

    public init(publication: PublicationID) {
        self.publication = publication
    }

    /// Takes one in; those of other publications are passed over, and an earlier boundary does not replace a later one.
    public func add(_ revocation: Revocation) {
        guard revocation.publication == publication else { return }
        let scope = Scope(subscriber: revocation.subscriber, session: revocation.session)
        boundaries.withLock { boundaries in
            boundaries[scope] = max(revocation.before, boundaries[scope] ?? .distantPast)
        }
    }

    public func isRevoked(_ holder: SaltHolder) -> Bool {
        holder.issuedAt < boundary(subscriber: holder.subscriber, session: holder.session)
    }

    /// The earliest moment at which a new session of this subscriber is not ended by what is already revoked.
    public func boundary(subscriber: SubscriberReference, session: SessionReference) -> Date {
        boundaries.withLock { boundaries in
            if boundaries.isEmpty { return .distantPast }
            return max(
                boundaries[Scope(subscriber: subscriber, session: nil)] ?? .distantPast,
                boundaries[Scope(subscriber: subscriber, session: session)] ?? .distantPast)
        }
    }

    /// Forgets those that can not matter any more, because whatever they ended has expired by itself.
    public func discard(before moment: Date) {
        boundaries.withLock { boundaries in
            boundaries = boundaries.filter { $0.value >= moment }
        }
    }

    public var count: Int { boundaries.withLock(\.count) }
}
