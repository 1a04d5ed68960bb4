public import Gatefold
import Protections

extension ProtectedBackend {
    public var status: ProtectionStatus {
        let (entries, bytes, found) = cache.status
        let (asking, waiting, sentAway) = limit.load
        let (position, refused) = breaker.status
        let (lastFailed, late) = pulse.status
        return ProtectionStatus(
            breaker: position, asking: asking, waiting: waiting, mostAsking: settings.concurrency.most,
            mostWaiting: settings.concurrency.waiting, entries: entries, bytes: bytes, lastFailed: lastFailed,
            counts: [
                .fresh: found.fresh, .ageing: found.ageing, .missed: found.missed,
                .lastKnownGood: found.lastKnownGood, .coalesced: coalescing.shared, .deadlineExceeded: late,
                .queueFull: sentAway.full, .patienceOver: sentAway.outOfPatience, .breakerOpen: refused,
            ])
    }

    /// Forgets what is remembered; whoever asks next has it from the backend, even if the same is being asked right now,
    /// in every process on the same state.
    ///
    /// - Returns: how many answers were forgotten.
    @discardableResult
    public func flush(_ target: FlushTarget) -> Int {
        defer { coalescing.closeDoors() }
        let groups: Set<AnswerMemory.Group>
        switch target {
        case .identifier(let typed):
            groups = cache.withSubscribers(.identifier(keys.identifier(CredentialFields.fold(typed))))
        case .key(let key): groups = [group(of: Subscriber(backend: name, key: key))]
        case .reference(let reference): groups = [Self.group(reference)]
        case .all:
            shareInvalidation(of: nil)
            return cache.forgetAll()
        }
        return groups.reduce(0) { count, group in
            shareInvalidation(of: group)
            return count + cache.forget(group)
        }
    }
}

/// Whose answers are forgotten.
public enum FlushTarget: Sendable, Equatable {
    /// What they sign in with.
    case identifier(String)
    /// The backend's own key for them.
    case key(String)
    /// Their pseudonym, as logs show it.
    case reference(SubscriberReference)
    case all
}
