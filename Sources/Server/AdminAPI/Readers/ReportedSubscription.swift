import AdminAPI
import Gatefold
import JSON
import Resilience

/// The subscription of a reader as the subscriber system states it, for an operator.
struct ReportedSubscription: Sendable {
    private let fetched: Result<Fetched<Subscription>, Unavailable>
    /// The fields of a live statement before they were mapped, without personal ones.
    private let raw: [QueryTrace.Field]
    /// The age of the statement in seconds; nil if it is not known.
    private let age: Double?

    /// Queries the backend of a reader through its protection, whose cache may have the result.
    ///
    /// - Throws: A cancellation error.
    init(of reader: AdminReader, in set: ServingState) async throws {
        let trace = QueryTrace()
        let (service, subscriber) = (reader.service, reader.subscriber)
        do {
            let result = try await QueryTrace.$current.withValue(trace) {
                try await service.queryBackend {
                    try await service.backend.subscription(of: subscriber, context: CallContext())
                }
            }
            fetched = .success(result)
            age = result.freshness == .live ? 0 : Self.age(of: subscriber, in: set)
        } catch let failure as Unavailable {
            fetched = .failure(failure)
            age = nil
        } catch is ScriptedResponse {
            fetched = .failure(Unavailable(.testResponse, retryAfter: 0, cause: "a test reader"))
            age = nil
        }
        raw = trace.records.flatMap(\.self).filter { !$0.isPersonal }
    }

    /// Returns the age of a cached subscription, which the backend of the subscriber has, and not a chain above it.
    private static func age(of subscriber: Subscriber, in set: ServingState) -> Double? {
        (set.backends[subscriber.backend] as? ProtectedBackend)?.cachedSubscription(of: subscriber)?.age
    }

    // MARK: JSON

    static let schema = AdminSchema.object(
        SubscriptionJSON.properties + [
            AdminProperty(
                "raw", .nullable(.list(NamedValueJSON.schema)),
                "The fields of a live statement before they were mapped, without personal ones, 100 at most."),
            AdminProperty("freshness", .choice(["live", "cached", "stale"]), "The freshness."),
            AdminProperty("age", .nullable(.number), "The seconds since the backend was queried; null if not known."),
        ])

    /// The subscription; nil if it is not known.
    var value: Subscription? { try? fetched.get().value }

    /// The subscription; null if it is not known.
    var json: JSONValue {
        guard case .success(let fetched) = fetched else { return .null }
        let raw: JSONValue =
            raw.isEmpty
            ? .null
            : .array(raw.prefix(100).map { NamedValueJSON.json($0.name, $0.values.joined(separator: ", ")) })
        return .object(
            SubscriptionJSON.members(fetched.value) + [
                .init(name: "raw", value: raw), .init(name: "freshness", value: .string(fetched.freshness.name)),
                .init(name: "age", value: age.map(JSONValue.number) ?? .null),
            ])
    }

    /// The cause why the subscription is not known; null if it is.
    var error: JSONValue {
        guard case .failure(let failure) = fetched else { return .null }
        return .line(failure.cause)
    }

    /// The freshness; null if the subscription is not known.
    var freshness: JSONValue { (try? fetched.get()).map { .string($0.freshness.name) } ?? .null }
}
