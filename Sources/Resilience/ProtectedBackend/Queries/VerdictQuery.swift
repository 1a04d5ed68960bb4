import Gatefold
import Primitives

struct VerdictQuery: CacheableQuery {
    static let kind = "verdict"
    let edition: EditionID?
    let subscriber: Subscriber

    func add(to parts: inout BackendQueryKeys.Parts) {
        parts.add(edition?.rawValue)
        parts.add(subscriber)
    }

    func send(to backend: ResolvedBackend, _ context: CallContext) async throws -> EditionVerdict? {
        try await backend.verdict(on: edition, for: subscriber, context: context).value
    }

    static func inFlight(_ queries: InFlightQueries) -> Coalescing<InFlightQuery, EditionVerdict?> { queries.verdicts }

    var plainKey: BackendQueryKey? { subscriber.isShort ? .verdict(edition, subscriber) : nil }

    func subject(
        _ key: BackendQueryKey, of result: EditionVerdict?, in scope: CacheScope
    ) -> BackendResultStore.Subject {
        BackendResultStore.Subject(key: key, groups: [scope.group(of: subscriber)], edition: edition)
    }

    static func stored(_ result: EditionVerdict?) -> StoredResult { .verdict(result) }

    static func result(_ stored: StoredResult) -> EditionVerdict?? {
        if case .verdict(let result) = stored { .some(result) } else { nil }
    }
}
