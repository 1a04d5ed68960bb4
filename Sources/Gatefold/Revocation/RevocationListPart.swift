import Foundation
import Primitives
import Synchronization

/// A part of the revocation list, for a share of the subscribers.
///
/// Most subscribers have one ended session, which takes 24 bytes with its key. The hash table is between three and
/// six eighths full, so that an entry takes 32 to 64 bytes.
final class RevocationListPart: Sendable {
    private enum Held {
        case session(SubscriberRevocations.SessionRevocation)
        case several(MultipleRevocations)
    }

    /// The revocations of a subscriber with more than one. They are in a separate object, so that only such
    /// subscribers need the memory.
    private final class MultipleRevocations: Sendable {
        let revocations: SubscriberRevocations
        /// The sequence number of the latest revocation of all sessions; 0 means none.
        let order: Int

        init(_ revocations: SubscriberRevocations, order: Int) {
            self.revocations = revocations
            self.order = order
        }
    }

    private let held = Mutex<[UInt64: Held]>([:])

    /// Adds a revocation.
    ///
    /// - Parameter number: Returns the next sequence number, for a revocation that ends further sessions.
    func add(_ revocation: Revocation, expires: Date?, number: () -> Int) {
        held.withLock { held in
            let key = revocation.subscriber.number
            var revocations = Self.revocations(held[key]) ?? SubscriberRevocations()
            let revokesMore = revocations.add(revocation, expires: expires)
            var order = Self.order(held[key])
            if revokesMore {
                let number = number()
                if revocation.session == nil { order = number }
            }
            held[key] = Self.held(revocations, order)
        }
    }

    func revocations(of subscriber: SubscriberPseudonym) -> SubscriberRevocations? {
        held.withLock { Self.revocations($0[subscriber.number]) }
    }

    func order(of subscriber: SubscriberPseudonym) -> Int? {
        let order = held.withLock { Self.order($0[subscriber.number]) }
        return order > 0 ? order : nil
    }

    func ends(_ subscriber: SubscriberPseudonym, _ session: SessionPseudonym, issuedAt: Date) -> Bool {
        held.withLock { held in
            switch held[subscriber.number] {
            case nil: false
            case .session(let end): end.ends(session, issuedAt: issuedAt)
            case .several(let several): several.revocations.ends(session, issuedAt: issuedAt)
            }
        }
    }

    /// Returns the revocations to store.
    func records(in publication: PublicationID) -> [UnsequencedRevocation] {
        held.withLock { held in
            held.flatMap { number, value in
                Self.revocations(value)?.records(of: SubscriberPseudonym(number: number), in: publication) ?? []
            }
        }
    }

    func discard(expiredBy timestamp: WholeSecond) {
        held.withLock { held in
            var changed: [(UInt64, Held?)] = []
            for (key, value) in held {
                guard var revocations = Self.revocations(value) else { continue }
                let before = revocations
                revocations.discard(expiredBy: timestamp)
                if revocations != before { changed.append((key, Self.held(revocations, Self.order(value)))) }
            }
            for (key, value) in changed { held[key] = value }
        }
    }

    var count: Int {
        held.withLock { held in held.values.reduce(0) { $0 + (Self.revocations($1)?.count ?? 0) } }
    }

    private static func revocations(_ held: Held?) -> SubscriberRevocations? {
        switch held {
        case nil: nil
        case .session(let end): SubscriberRevocations(end)
        case .several(let several): several.revocations
        }
    }

    private static func order(_ held: Held?) -> Int {
        if case .several(let several) = held, several.revocations.hasAll { several.order } else { 0 }
    }

    private static func held(_ revocations: SubscriberRevocations, _ order: Int) -> Held? {
        if revocations.isEmpty { return nil }
        if let only = revocations.only { return .session(only) }
        return .several(MultipleRevocations(revocations, order: order))
    }
}
