import Foundation
public import Gatefold
import Primitives

/// The exchange of facts with other processes on the same state.
extension ProtectedBackend {
    /// Applies a fact of another process immediately, regardless of the cached results.
    public func follow(_ fact: SharedFact) {
        switch fact.id.kind {
        case .denial:
            if let denied = DenialCache.denied(by: fact) {
                cache.deny(
                    BackendResultStore.Group(denied.subscriber), BackendCachePolicy.InvalidationScope(denied.denial),
                    on: denied.edition,
                    queriedUntil: fact.timestamp)
            } else if let denied = DenialCache.deniedEditions(by: fact) {
                cache.deny(
                    BackendResultStore.Group(denied.subscriber), onEditions: denied.contains,
                    queriedUntil: fact.timestamp)
            } else {
                return
            }
            inFlight.forget()
        case .credentials:
            guard fact.id.backend == name, let credentials = ConfirmedCredentials(fact) else { return }
            cache.invalidateCredentials(of: credentials.group, queriedUntil: fact.timestamp) {
                [keys = scope.keys] proofs in
                credentials.excludes(keys.fingerprint(of: proofs, for: credentials.group))
            }
        case .invalidation:
            guard fact.id.backend == name else { return }
            if fact.id.subject.isEmpty {
                cache.invalidateAll(queriedUntil: fact.timestamp)
            } else if let group = BackendResultStore.Group(factSubject: fact.id.subject) {
                cache.invalidate(group, queriedUntil: fact.timestamp)
            }
            inFlight.forget()
        }
    }

    /// Shares the backend's result about credentials.
    func share(_ timestamped: TimestampedResult<StoredResult>, _ subject: BackendResultStore.Subject) {
        guard settings.cache != nil, case .authentication(let authentication) = timestamped.result,
            let proofs = subject.proofs
        else { return }
        let (facts, timestamp) = (services.credentialFacts, cache.date(of: timestamped.queried))
        func observation(_ group: BackendResultStore.Group) -> CredentialFacts.Observation {
            CredentialFacts.Observation(
                fingerprint: scope.keys.fingerprint(of: proofs, for: group), group: group, backend: name,
                queried: timestamped.queried.seconds,
                timestamp: timestamp, end: end(of: timestamp))
        }
        switch authentication {
        case .authenticated:
            for group in subject.groups { facts.confirm(observation(group)) }
        case .rejected(_, let found):
            // A found subscriber may be cached under another spelling of the identifier.
            for group in subject.groups + found.all.map({ scope.group(of: $0) }) { facts.reject(observation(group)) }
        }
    }

    /// Shares that the results about a group are no longer valid; `nil` means all groups.
    func shareInvalidation(of group: BackendResultStore.Group?) {
        guard settings.cache != nil else { return }
        let now = services.clock.now
        services.credentialFacts.invalidate(group?.factSubject ?? [], in: name, at: now, until: end(of: now))
    }

    /// Returns the names under which facts can invalidate a sign-in result from the cache.
    func cachedSignIn(of credentials: Credentials, as subscriber: Subscriber) -> CachedSignIn {
        let proofs = scope.proofs(of: credentials)
        let groups = [scope.group(ofIdentifier: credentials.identifier), scope.group(of: subscriber)]
        return CachedSignIn(
            backend: name,
            names: groups.map { group in
                CachedSignIn.Name(
                    subject: group.factSubject, fingerprint: proofs.map { scope.keys.fingerprint(of: $0, for: group) })
            })
    }

    /// Returns the time from which no process holds results from before the given date.
    private func end(of timestamp: Date) -> Date {
        settings.endOfFacts(recordedAt: timestamp)
    }
}

extension CredentialFacts {
    /// Returns whether a fact invalidates a sign-in that was served from the cache.
    public static func invalidates(_ fact: SharedFact, _ cachedSignIns: CachedSignIn) -> Bool {
        guard fact.id.backend == cachedSignIns.backend else { return false }
        switch fact.id.kind {
        case .denial: return false
        case .credentials:
            guard let credentials = ConfirmedCredentials(fact) else { return false }
            return cachedSignIns.names.contains { name in
                name.subject == fact.id.subject && (name.fingerprint.map(credentials.excludes) ?? false)
            }
        case .invalidation:
            // An empty subject stands for all results of the backend.
            return fact.id.subject.isEmpty || cachedSignIns.names.contains { $0.subject == fact.id.subject }
        }
    }
}

extension BackendCachePolicy.InvalidationScope {
    /// Creates the consequence of a denial in another process.
    init(_ denial: Denial) {
        switch denial {
        case .edition: self = .edition
        case .stale: self = .verdicts
        case .inactive: self = .activity
        case .suspended: self = .subscriptions
        case .unknown: self = .everything
        }
    }
}
