import Foundation
import Gatefold
import PasswordHashing
import Primitives

/// A backend that authenticates the subscribers of a feed.
///
/// All results come from one complete feed, the last good one, and never wait for the source. While there is no
/// feed, every query is a backend failure.
final class FeedBackend: LookupBackend {
    let name: String
    let store: FeedStore
    private let rule: ProofRule?
    private let mapping: SubscriptionMapping
    private let lines: FeedPlan.Lines
    private let verifier: PasswordVerifier
    private let clock: WallClock
    private let staleAfter: TimeInterval
    private let hasKeys: Bool
    private let requiresEveryField: Bool
    /// The refresher, which lives as long as the backend.
    private let refresher: FeedRefresher?

    init(
        _ plan: FeedPlan, store: FeedStore, rule: ProofRule?, mapping: SubscriptionMapping, services: BackendServices,
        refresher: FeedRefresher?
    ) {
        name = plan.name
        self.store = store
        self.rule = rule
        self.mapping = mapping
        self.refresher = refresher
        lines = plan.lines
        staleAfter = plan.staleAfter
        hasKeys = plan.columns.key != nil
        requiresEveryField = plan.format.requiresEveryField
        verifier = services.passwords
        clock = services.clock
    }

    /// Authenticates a reader.
    ///
    /// - Throws: an error when there is no feed yet, when the feed cannot be read, or when too many password checks
    ///   are queued.
    func authenticate(_ credentials: Credentials, context: CallContext) async throws -> Fetched<AuthenticationResult> {
        let found = try await feed().candidate(for: credentials.identifier)
        var isCorrect = found.isOwn
        if let rule {
            let verdict = try await rule.check(credentials, against: found.proof, with: verifier)
            if case .wrong = verdict { isCorrect = false }
            // Neither another reader's proof nor a missing proof authenticates the reader.
            if found.proof == nil { isCorrect = false }
        }
        guard isCorrect, let key = found.key else {
            let subscriber = found.isOwn ? found.key.map { Subscriber(backend: name, key: $0) } : nil
            return .rejected(message: nil, found: FoundSubscribers(subscriber.map { [$0] } ?? []))
        }
        return .authenticated(Subscriber(backend: name, key: key))
    }

    var supportsLookup: Bool { true }

    /// - Throws: an error when there is no feed yet, or when the feed cannot be read.
    func lookUp(_ credentials: Credentials, context: CallContext) async throws -> Fetched<ReaderLookup> {
        let found = try await feed().candidate(for: credentials.identifier)
        guard found.isOwn, let key = found.key else {
            return Fetched(ReaderLookup(ambiguous: found.isAmbiguous ? [name] : []))
        }
        return Fetched(ReaderLookup([Subscriber(backend: name, key: key)]))
    }

    /// Returns the subscription of a reader.
    ///
    /// - Throws: an error when there is no feed yet, or when the reader's data cannot be understood.
    func subscription(of subscriber: Subscriber, context: CallContext) async throws -> Fetched<Subscription> {
        let feed = try feed()
        guard subscriber.backend == name else { return Fetched(Subscription(state: .unknown)) }
        let records = try await feed.records(
            of: subscriber.key, byIdentifier: !hasKeys, requiresEveryField: requiresEveryField)
        guard !records.isEmpty else { return Fetched(Subscription(state: .unknown)) }
        let now = clock.now
        switch lines {
        case .one:
            // Identical lines are redundant. Different lines contradict each other.
            guard records.allSatisfy({ $0 == records[0] }) else { throw MappingError.severalRecords }
            return Fetched(try mapping.subscription(from: records[0], at: now))
        case .several:
            return Fetched(FeedLines.merged(try records.map { try mapping.subscription(from: $0, at: now) }))
        }
    }

    /// Throws an error when there is no feed, or when the feed is older than `stale_after`. Readers are still
    /// served from an old feed.
    func health() async throws {
        let feed = try feed()
        try await feed.health()
        let status = store.status
        guard clock.now.timeIntervalSince(status.freshAt ?? feed.summary.loadedAt) <= staleAfter else {
            throw FeedUnavailable.stale(reason: status.reason)
        }
    }

    private func feed() throws -> FeedDatabase {
        guard let feed = store.current else {
            throw store.isLockedElsewhere ? FeedUnavailable.lockedElsewhere : .notLoadedYet
        }
        return feed
    }
}
