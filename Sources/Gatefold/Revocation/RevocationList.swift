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
    private let revocations = Mutex<[Scope: Revocation]>([:])

    public init(publication: PublicationID) {
        self.publication = publication
    }

    /// Takes one in; those of other publications are passed over, and one of a scope that has one already is joined with it.
    public func add(_ revocation: Revocation) {
        guard revocation.publication == publication else { return }
        let scope = Scope(subscriber: revocation.subscriber, session: revocation.session)
        revocations.withLock { revocations in
            revocations[scope] = revocations[scope]?.joined(with: revocation) ?? revocation
        }
    }

    public func isRevoked(_ holder: SaltHolder) -> Bool {
        revocations.withLock { revocations in
            if revocations.isEmpty { return false }
            return Self.scopes(holder.subscriber, holder.session).contains { scope in
                revocations[scope]?.ends(holder.session, issuedAt: holder.issuedAt) ?? false
            }
        }
    }

    /// The earliest moment at which a new session of this subscriber is not ended by what is already revoked.
    public func boundary(subscriber: SubscriberReference, session: SessionReference) -> Date {
        revocations.withLock { revocations in
            if revocations.isEmpty { return .distantPast }
            return Self.scopes(subscriber, session).compactMap { revocations[$0]?.before }.max() ?? .distantPast
        }
    }

    /// The latest boundary of this subscriber, of whatever session: no session that was opened so far counts as issued after
    /// it, or after now. Looks at all there are, so it is for what happens rarely.
    func boundary(subscriber: SubscriberReference) -> Date {
        revocations.withLock { revocations in
            revocations.lazy.filter { $0.key.subscriber == subscriber }.map(\.value.before).max() ?? .distantPast
        }
    }

    private static func scopes(_ subscriber: SubscriberReference, _ session: SessionReference) -> [Scope] {
        [Scope(subscriber: subscriber, session: nil), Scope(subscriber: subscriber, session: session)]
    }

    /// Forgets those that can not matter any more, because whatever they ended has expired by itself.
    public func discard(before moment: Date) {
        revocations.withLock { revocations in
            revocations = revocations.filter { $0.value.before >= moment }
        }
    }

    public var count: Int { revocations.withLock(\.count) }
}
