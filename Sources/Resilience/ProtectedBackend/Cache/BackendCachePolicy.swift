import Foundation
import Gatefold

/// The rules for the lifetime of a result and for its effect on cached results.
struct BackendCachePolicy: Sendable {
    /// The deadlines of a result in seconds of the monotonic clock that also timestamps its query.
    struct CacheLifetime: Sendable, Equatable {
        /// Returns the terms of a result that is no longer fresh after the given time. The result remains available
        /// during an outage.
        func endingFreshness(at timestamp: TimeInterval) -> CacheLifetime {
            CacheLifetime(
                revalidateAt: min(revalidateAt, timestamp), freshUntil: min(freshUntil, timestamp), goodUntil: goodUntil
            )
        }

        /// The time from which the result is refreshed in the background.
        let revalidateAt: TimeInterval
        /// The time from which the reader waits for a new query.
        let freshUntil: TimeInterval
        /// The time until which the result replaces a failed query.
        let goodUntil: TimeInterval
    }

    /// The earlier results of the same subscriber that a result invalidates.
    enum InvalidationScope: Sendable, Equatable {
        case none
        /// Grants of the same edition, because it was denied to another session of the subscriber.
        case edition
        /// All granted editions, because the session is no longer valid.
        case verdicts
        /// All verdicts, and active subscriptions of all sessions.
        case activity
        /// All verdicts, and subscriptions of all sessions in any state.
        case subscriptions
        /// All results, because the backend no longer knows the subscriber.
        case everything

        /// Returns whether this consequence invalidates an older result.
        ///
        /// - Parameter isSameEdition: A Boolean value that indicates whether both results are verdicts on the same
        ///   edition.
        func invalidates(_ older: StoredResult, isSameEdition: Bool) -> Bool {
            switch (self, older) {
            case (.none, _): false
            case (.edition, .verdict): isSameEdition
            case (.edition, _): false
            case (.everything, _), (.verdicts, .verdict), (.activity, .verdict), (.subscriptions, .verdict): true
            case (.activity, .subscription(let subscription)): subscription.state == .active
            case (.subscriptions, .subscription): true
            case (.verdicts, _), (.activity, _), (.subscriptions, _): false
            }
        }
    }

    let settings: ProtectionSettings.Cache

    /// Returns the deadlines of a result. Its age counts from the start of the query, not from the arrival of the
    /// result.
    ///
    /// - Parameter jitter: A number from 0 to 1 that shortens long lifetimes by up to a fifth, so that results
    ///   cached together are not refreshed together. Jitter never extends a lifetime because freshness is
    ///   guaranteed.
    func cacheLifetime(of result: StoredResult, queried: TimeInterval, jitter: Double) -> CacheLifetime {
        let goodUntil = Self.isGood(result) ? queried + settings.lastKnownGood : queried
        if Self.opensSession(result) {
            return CacheLifetime(revalidateAt: queried, freshUntil: queried, goodUntil: goodUntil)
        }
        guard Self.isAffirmative(result) else {
            let freshUntil = queried + settings.negative
            return CacheLifetime(revalidateAt: freshUntil, freshUntil: freshUntil, goodUntil: goodUntil)
        }
        let share = 1 - jitter / 5
        return CacheLifetime(
            revalidateAt: queried + settings.revalidateAfter * share, freshUntil: queried + settings.freshness * share,
            goodUntil: goodUntil)
    }

    func invalidationScope(of result: StoredResult) -> InvalidationScope {
        switch result {
        case .subscription(let subscription):
            switch subscription.state {
            case .active: .none
            case .unknown: .everything
            case .inactive: .activity
            case .suspended: .subscriptions
            // A stale state concerns one session only; the reader's other sessions may still be valid.
            case .stale: .verdicts
            }
        case .verdict(.rejected(.rejected?, _)): .everything
        case .verdict(.rejected(.notEntitled?, _)), .verdict(.rejected(nil, _)): .edition
        case .authentication, .verdict: .none
        }
    }

    /// Returns whether a result stays fresh for ``ProtectionSettings/Cache/freshness``. Other results stay fresh
    /// only as long as rejections, so that a reader who renews gets access quickly.
    static func isAffirmative(_ result: StoredResult) -> Bool {
        switch result {
        case .authentication(.authenticated), .verdict(nil), .verdict(.granted): true
        case .subscription(let subscription): subscription.state == .active
        case .authentication(.rejected), .verdict(.rejected), .verdict(.deferred): false
        }
    }

    /// Returns whether a result may replace a failed query. A rejection may not, because the reader may have paid
    /// or corrected the password since. The editions of an inactive reader may.
    ///
    /// Source: Pitfall 9, “Outage and rejection confused”.
    static func isGood(_ result: StoredResult) -> Bool {
        switch result {
        case .authentication, .verdict: return isAffirmative(result)
        case .subscription(let subscription):
            switch subscription.state {
            case .active: return true
            case .inactive: return subscription.entitlement != .nothing && subscription.entitlement != .allEditions
            case .unknown, .suspended, .stale: return false
            }
        }
    }

    /// Returns whether the result carries its own session at the backend, which two sign-ins must not share.
    static func opensSession(_ result: StoredResult) -> Bool {
        guard case .authentication(.authenticated(let subscriber)) = result else { return false }
        return subscriber.upstreamSession != nil
    }
}
