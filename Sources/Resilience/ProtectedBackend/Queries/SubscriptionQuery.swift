import Gatefold
import Primitives

struct SubscriptionQuery: CacheableQuery {
    static let kind = "subscription"
    let subscriber: Subscriber

    func add(to parts: inout BackendQueryKeys.Parts) { parts.add(subscriber) }

    func send(to backend: ResolvedBackend, _ context: CallContext) async throws -> Subscription {
        try await backend.subscription(of: subscriber, context: context).value
    }

    static func inFlight(_ queries: InFlightQueries) -> Coalescing<InFlightQuery, Subscription> {
        queries.subscriptions
    }

    var plainKey: BackendQueryKey? { subscriber.isShort ? .subscription(subscriber) : nil }

    func subject(
        _ key: BackendQueryKey, of result: Subscription, in scope: CacheScope
    ) -> BackendResultStore.Subject {
        BackendResultStore.Subject(key: key, groups: [scope.group(of: subscriber)])
    }

    static func stored(_ result: Subscription) -> StoredResult { .subscription(result) }

    static func result(_ stored: StoredResult) -> Subscription? {
        if case .subscription(let result) = stored { result } else { nil }
    }
}
