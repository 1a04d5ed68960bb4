import Foundation
import Gatefold

/// Recognises the subscribers of a feed.
///
/// It always answers from one whole feed, the last good one, and never waits for the source. While there is none it could
/// not be asked.
final class FeedBackend: SubscriberBackend {
    let name: String
    let store: FeedStore
    private let rule: ProofRule?
    private let mapping: SubscriptionMapping
    private let lines: FeedPlan.Lines
    private let verifier: PasswordVerifier
    private let clock: WallClock
    private let staleAfter: TimeInterval
    private let hasKeys: Bool
    private let namesEveryField: Bool
    /// Held for as long as the backend is.
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
        namesEveryField = plan.format.namesEveryField
        verifier = services.passwords
        clock = services.clock
    }

    /// - Throws: when there is no feed yet, it can not be read, or too many wait for their passwords to be checked.
    func recognise(_ credentials: Credentials, inquiry: Inquiry) async throws -> Recognition {
        let found = try await feed().candidate(for: credentials.identifier)
        var isRight = found.isOwn
        if let rule {
            let verdict = try await rule.check(credentials, against: found.proof, with: verifier)
            if case .wrong = verdict { isRight = false }
            // Somebody else's proof proves nothing, and no proof neither.
            if found.proof == nil { isRight = false }
        }
        guard isRight, let key = found.key else {
            let subscriber = found.isOwn ? found.key.map { Subscriber(backend: name, key: $0) } : nil
            return .notRecognised(message: nil, found: FoundSubscribers(subscriber.map { [$0] } ?? []))
        }
        return .recognised(Subscriber(backend: name, key: key))
    }

    /// - Throws: when there is no feed yet, or what it says about the reader can not be understood.
    func subscription(of subscriber: Subscriber, inquiry: Inquiry) async throws -> Subscription {
        let feed = try feed()
        guard subscriber.backend == name else { return Subscription(state: .unknown) }
        let records = try await feed.records(
            of: subscriber.key, byIdentifier: !hasKeys, namesEveryField: namesEveryField)
        guard !records.isEmpty else { return Subscription(state: .unknown) }
        let now = clock.now
        switch lines {
        case .one:
            // The same line twice says nothing new; two different ones contradict each other.
            guard records.allSatisfy({ $0 == records[0] }) else { throw MappingError.severalRecords }
            return try mapping.subscription(from: records[0], at: now)
        case .several:
            return FeedLines.combined(try records.map { try mapping.subscription(from: $0, at: now) })
        }
    }

    /// Throws when there is no feed, or an old one: readers are answered from it all the same.
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
            throw store.isKeeper ? FeedUnavailable.noneYet : .keptElsewhere
        }
        return feed
    }
}
