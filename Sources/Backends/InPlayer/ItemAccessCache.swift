import Foundation
import Primitives
import Synchronization

/// A cache of the accounts' access to items that combines concurrent queries of the same session. Another session
/// of the account queries separately because it may be over.
final class ItemAccessCache: Sendable {
    struct Subject: Hashable, Sendable {
        let account: String
        let item: Int
    }

    /// The access of an account to an item.
    struct ItemAccessResult: Sendable, Equatable {
        let isAccessible: Bool
        /// The scheduled end of the access.
        let ends: Date?
    }

    private struct Query: Hashable, Sendable {
        let session: String
        let subject: Subject
    }

    private struct CachedAccess {
        let isAccessible: Bool
        /// The end of the cached result on the monotonic clock.
        let until: TimeInterval
        /// The scheduled end of the access.
        let ends: Date?
    }

    /// The maximum time in seconds for which a denial is cached, so that a reader gets access soon after a
    /// purchase.
    static let maxDenialLifetime: TimeInterval = 5

    private let lifetime: TimeInterval
    private let clock: WallClock
    private let results = Mutex(BoundedCache<Subject, CachedAccess>(capacity: 100_000))
    private let inFlight = Coalescing<Query, Bool>()

    /// Creates an empty cache.
    ///
    /// - Parameter lifetime: The lifetime of a result in seconds.
    init(lifetime: TimeInterval, clock: WallClock) {
        self.lifetime = lifetime
        self.clock = clock
    }

    /// Returns whether the account has access to the item.
    ///
    /// A caller that leaves does not end the query for the others. The query is cancelled when all callers have
    /// left.
    func isAccessible(
        _ subject: Subject, session: String, _ operation: @escaping @Sendable () async throws -> ItemAccessResult
    ) async throws -> Bool {
        if let known = known(subject) { return known }
        return try await inFlight.share(Query(session: session, subject: subject)) { [self] in
            // Another query may have ended since.
            if let known = known(subject) { return known }
            let queried = clock.elapsed
            let reported = try await operation()
            store(reported, of: subject, queried: queried)
            return reported.isAccessible
        }
    }

    private func known(_ subject: Subject) -> Bool? {
        let (elapsed, now) = (clock.elapsed, clock.now)
        return results.withLock { results in
            guard let result = results[subject], elapsed < result.until, result.ends.map({ now < $0 }) ?? true
            else { return nil }
            return result.isAccessible
        }
    }

    private func store(_ reported: ItemAccessResult, of subject: Subject, queried: TimeInterval) {
        let lifetime = reported.isAccessible ? lifetime : min(lifetime, Self.maxDenialLifetime)
        let result = CachedAccess(isAccessible: reported.isAccessible, until: queried + lifetime, ends: reported.ends)
        results.withLock { $0.insert(result, for: subject) }
    }
}
