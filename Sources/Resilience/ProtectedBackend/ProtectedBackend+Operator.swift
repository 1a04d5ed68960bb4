public import Gatefold

extension ProtectedBackend {
    public var status: ProtectionStatus {
        let (entries, bytes, found) = cache.status
        let (inUse, waiting, rejections) = limit.load
        let (breakerState, rejected) = breaker.status
        let (lastFailed, late) = healthTracker.status
        let (lastFailure, unavailableSince) = healthTracker.failures
        return ProtectionStatus(
            breaker: breakerState, inUse: inUse, waiting: waiting,
            maxConcurrent: limit.current,
            maxQueued: settings.concurrency.waiting, entries: entries, bytes: bytes, lastFailed: lastFailed,
            lastFailure: lastFailure, unavailableSince: unavailableSince,
            counts: [
                .fresh: found.fresh, .revalidating: found.revalidating, .miss: found.miss,
                .lastKnownGood: found.lastKnownGood, .coalesced: inFlight.shared, .deadlineExceeded: late,
                .queueFull: rejections.full, .queueTimeout: rejections.timedOut, .breakerOpen: rejected,
            ])
    }

    /// Returns the cached subscription of a subscriber, without a query; nil if none is cached.
    package func cachedSubscription(of subscriber: Subscriber) -> CachedSubscription? {
        let key = scope.keys.key(of: SubscriptionQuery(subscriber: subscriber), [:])
        guard let found = cache.peek(key), case .subscription(let subscription) = found.result else { return nil }
        return CachedSubscription(subscription: subscription, age: found.age, isFresh: found.isFresh)
    }

    /// The maximum number of concurrent queries of all nodes together.
    package var clusterLimit: Int { settings.concurrency.maxConcurrent }

    /// Sends waiting queries after the node's part of the limit has increased.
    package func didIncreaseSlots() { limit.release() }

    /// Removes cached results in every process on the same state. The next caller gets its result from the backend,
    /// even if the same query is in progress.
    ///
    /// - Returns: The number of results that this process removed.
    @discardableResult
    public func flush(_ target: FlushTarget) -> Int {
        defer { inFlight.forget() }
        let groups: Set<BackendResultStore.Group>
        switch target {
        case .identifier(let typed):
            groups = cache.withSubscribers(scope.group(ofIdentifier: CredentialFields.fold(typed)))
        case .key(let key): groups = [scope.group(of: Subscriber(backend: name, key: key))]
        case .reference(let reference): groups = [BackendResultStore.Group(reference)]
        case .all:
            shareInvalidation(of: nil)
            return cache.invalidateAll()
        }
        return groups.reduce(0) { count, group in
            shareInvalidation(of: group)
            return count + cache.invalidate(group)
        }
    }
}

/// The results that a flush removes.
public enum FlushTarget: Sendable, Equatable {
    /// The identifier that the reader signs in with.
    case identifier(String)
    /// The backend's own key of the subscriber.
    case key(String)
    /// The subscriber's pseudonym, as the logs show it.
    case reference(SubscriberPseudonym)
    case all
}
