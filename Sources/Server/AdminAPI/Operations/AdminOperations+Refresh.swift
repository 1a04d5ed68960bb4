import AdminAPI
import Gatefold
import HTTPTypes
import JSON
import Resilience

extension AdminOperations {
    static let refresh: [Operation] = [
        Operation(
            "refreshReader", .post, "/publications/{publication}/readers/{reader}/refresh", role: .support,
            reach: .publication,
            summary: "Discard what is cached about a reader, and query the subscriber system again",
            description: """
                The results of this node are discarded, and within two seconds those at other nodes. While the subscriber \
                system is unavailable nothing is discarded, because the cached result serves the reader.
                """,
            pathParameters: [AdminSchemas.readerParameter],
            body: AdminBody([AdminReason.property(isRequired: false)], example: ["reason": "The reader has paid"]),
            success: .json(
                .object([
                    AdminProperty(
                        "before",
                        .object([
                            AdminProperty(
                                "subscription", .nullable(.object(SubscriptionJSON.properties)),
                                "The cached subscription; null if none was cached."),
                            AdminProperty(
                                "freshness", .nullable(.choice(["cached", "stale"])),
                                "`stale` if it served only in an outage."),
                            AdminProperty("age", .nullable(.number), "The seconds since its query."),
                        ]), "What was cached."),
                    AdminProperty(
                        "after",
                        .object([
                            AdminProperty(
                                "subscription", .nullable(.object(SubscriptionJSON.properties)),
                                "The subscription; null if the subscriber system did not respond."),
                            AdminProperty(
                                "freshness", .nullable(.choice(["live", "cached", "stale"])), "The freshness."),
                            AdminProperty("error", .nullable(AdminSchemas.text), "Why it is not known; null if it is."),
                        ]), "What the subscriber system states."),
                ]), "The subscription before and after."),
            audits: .readerRefresh, isChange: true, isRepeatable: true
        ) { services, call in
            let reader = try services.reader(call)
            let set = services.publications.value
            return try await call.trail.perform(.readerRefresh, of: [reader.subject], in: try call.publication) {
                let subscriber = reader.subscriber
                let backend = set.backends[subscriber.backend] as? ProtectedBackend
                let cached = backend?.cachedSubscription(of: subscriber)
                let before: JSONValue = [
                    "subscription": cached.map { .object(SubscriptionJSON.members($0.subscription)) } ?? .null,
                    "freshness": cached.map { $0.isFresh ? "cached" : "stale" } ?? .null,
                    "age": cached.map { .number($0.age) } ?? .null,
                ]
                do {
                    try await backend?.health()
                } catch let error where !(error is CancellationError) {
                    let after: JSONValue = [
                        "subscription": .null, "freshness": .null, "error": .line(ReaderInspection.cause(of: error)),
                    ]
                    return ["before": before, "after": after]
                }
                backend?.flush(.key(subscriber.key))
                let reported = try await ReportedSubscription(of: reader, in: set)
                let after: JSONValue = [
                    "subscription": reported.value.map { .object(SubscriptionJSON.members($0)) } ?? .null,
                    "freshness": reported.freshness, "error": reported.error,
                ]
                return ["before": before, "after": after]
            }
        }
    ]
}
