import AdminAPI
import Gatefold
import HTTPTypes
import JSON
import Resilience

extension AdminOperations {
    static let backends: [Operation] = [
        Operation(
            "listBackends", .get, "/backends", role: .viewer, reach: .everything,
            summary: "List the subscriber backends with their health at this node",
            success: .page(
                of: .object([
                    AdminProperty("name", AdminSchemas.text, "The name of the backend."),
                    AdminProperty("up", .boolean, "Whether it accepts queries."),
                    AdminProperty(
                        "breaker", .nullable(AdminSchemas.text), "The circuit breaker; null inside the process."),
                    AdminProperty("in_flight", .nullable(.integer(0...1_000_000)), "The running queries."),
                    AdminProperty("queued", .nullable(.integer(0...1_000_000)), "The waiting queries."),
                    AdminProperty("cached", .nullable(.integer(0...1_000_000_000)), "The cached results."),
                    AdminProperty(
                        "stale_results", .nullable(.integer(0...Int.max)),
                        "The cached results that replaced a failed query since the backend was opened."),
                    AdminProperty(
                        "unavailable_since", .nullable(.timestamp),
                        "The time since which each query has failed; null if the last one did not."),
                    AdminProperty("last_error", .nullable(lastError), "The last query that failed; null for none."),
                ]), "A page of backends by name.")
        ) { services, call in
            let healths = await services.backends.health()
            return try call.page.page(ofAll: healths, by: { $0.name }) { health in
                [
                    "name": .string(health.name), "up": .boolean(health.isUp),
                    "breaker": .optional(health.status?.breaker.rawValue),
                    "in_flight": health.status.map { .count($0.inUse) } ?? .null,
                    "queued": health.status.map { .count($0.waiting) } ?? .null,
                    "cached": health.status.map { .count($0.entries) } ?? .null,
                    "stale_results": health.status.map { .count($0.counts[.lastKnownGood] ?? 0) } ?? .null,
                    "unavailable_since": .time(health.status?.unavailableSince),
                    "last_error": health.status?.lastFailure.map { json($0) } ?? .null,
                ]
            }
        },
        Operation(
            "flushBackend", .post, "/backends/{backend}/flush", role: .operator, reach: .everything,
            summary: "Remove cached results of a backend",
            description: """
                Also those of the backends that it queries, and within two seconds those at other nodes. Exactly one of the members `identifier`, `key`, `pseudonym` and \
                `all` selects the readers. If the state is unavailable, the results are removed without an entry in the audit \
                log, because an outage must not keep wrong ones.
                """,
            pathParameters: [AdminProperty("backend", .string(AdminText(1...200)), "The name of the backend.")],
            body: AdminBody(
                [
                    AdminProperty(
                        "identifier", .string(AdminText(1...1_024)), "The identifier that the reader signs in with.",
                        isRequired: false),
                    AdminProperty(
                        "key", .string(AdminText(1...4_096)), "The backend's own key for the reader.",
                        isRequired: false),
                    AdminProperty("pseudonym", AdminSchemas.pseudonym, "The pseudonym in logs.", isRequired: false),
                    AdminProperty("all", .boolean, "`true` for all readers.", isRequired: false),
                    AdminReason.property(isRequired: false),
                ], example: ["all": true, "reason": "The subscriber system was restored"]),
            success: .json(
                .object([
                    AdminProperty("removed", .integer(0...1_000_000_000), "The removed results."),
                    AdminProperty("remaining", .integer(0...1_000_000_000), "The results that remain."),
                ]), "The results are removed."),
            audits: .backendFlush, isChange: true, isRepeatable: true
        ) { services, call in
            let target = try flushTarget(call.body)
            let name = try call.path("backend") { $0 }
            let family = services.backends.family(of: name)
            guard !family.isEmpty else { throw AdminProblem.notFound }
            let flushed = try await services.flushes.flushing(target, of: family, call.trail) {
                services.backends.flush(name, target)
            }
            guard let flushed else { throw AdminProblem.notFound }
            return ["removed": .count(flushed.removed), "remaining": .count(flushed.remaining)]
        },
    ]

    private static let lastError = AdminSchema.object([
        AdminProperty("time", .timestamp, "The time."),
        AdminProperty("call", AdminSchemas.text, "The kind of query, such as `subscription`."),
        AdminProperty("cause", AdminSchemas.text, "The cause in one line."),
    ])

    private static func json(_ failure: BackendQueryFailure) -> JSONValue {
        ["time": .time(failure.time), "call": .string(failure.call), "cause": .line(failure.cause)]
    }

    /// Returns the readers whose results are removed. Exactly one member selects them, so that a mistake does not clear all
    /// results.
    private static func flushTarget(_ body: JSONValue) throws(AdminProblem) -> FlushTarget {
        let members = (body.members ?? []).filter { $0.name != "reason" }
        if members.count == 1, let member = members.first {
            switch (member.name, member.value) {
            case ("identifier", .string(let text)): return .identifier(text)
            case ("key", .string(let text)): return .key(text)
            case ("pseudonym", .string(let text)):
                if let pseudonym = SubscriberPseudonym(text) { return .reference(pseudonym) }
            case ("all", true): return .all
            default: break
            }
        }
        throw .invalid(.init("", "exactly one of identifier, key, pseudonym, or all with the value true"))
    }
}
