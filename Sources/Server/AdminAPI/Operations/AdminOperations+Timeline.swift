import AdminAPI
import Foundation
import Gatefold
import HTTPTypes
import JSON

extension AdminOperations {
    static let timeline: [Operation] = [
        Operation(
            "listTimeline", .get, "/publications/{publication}/readers/{reader}/timeline", role: .support,
            reach: .publication, summary: "List what happened to a reader",
            description: """
                The events of the reader in the publication, and what the staff changed there. A token for all publications also sees \
                what the staff changed without a publication. A page may have fewer items than `limit` although others follow.
                """,
            pathParameters: [AdminSchemas.readerParameter],
            query: [
                AdminProperty(
                    "include", .choice(["reads"]),
                    "`reads`: also actions of the staff that change nothing, such as `reader.show`. Default: without them.",
                    isRequired: false)
            ],
            success: .page(of: timelineItem, "A page of events, the newest first."), audits: .timelineShow
        ) { services, call in
            let reader = try services.reader(call)
            let publication = try call.publication
            let after = try call.page.after.map { try cursor($0) }
            try await call.trail.record(.timelineShow, of: [reader.subject], in: publication)
            var names = TimelineReader()
            names.add(reader.subscriber, services.key)
            let seesAll = call.user.scope.publications == nil
            let page = try await ReaderTimeline(services.state).page(
                of: names, after: after, limit: call.page.limit,
                includesReads: call.query["include"]?.text == "reads"
            ) { item in
                switch item {
                case .event(let stored): (stored.entry.event.publication ?? publication) == publication
                case .staff(let entry): entry.publication.map { $0 == publication.rawValue } ?? seesAll
                }
            }
            return try call.page.page(page.items.map { json(TimelineLine($0)) }, next: page.next?.description)
        }
    ]

    /// Returns the cursor of a key. The API has sealed the key, so that another one does not occur.
    private static func cursor(_ key: String) throws(AdminProblem) -> TimelineCursor {
        guard let cursor = TimelineCursor(key) else { throw .failed }
        return cursor
    }

    private static let timelineItem = AdminSchema.object([
        AdminProperty("time", .timestamp, "The time, or that of the first repetition."),
        AdminProperty("last_time", .nullable(.timestamp), "The time of the last repetition; null if there is one."),
        AdminProperty("count", .integer(1...Int.max), "The number of repetitions."),
        AdminProperty("kind", AdminSchemas.text, "The code of the event, or `staff`. Later releases have more codes."),
        AdminProperty("action", .nullable(AdminSchemas.text), "The action of the staff."),
        AdminProperty("call", .nullable(AdminSchemas.text), "The call that was refused."),
        AdminProperty("reason", .nullable(AdminSchemas.text), "The code of the reason, or the reason of the staff."),
        AdminProperty("device", .nullable(AdminSchemas.device), "The pseudonym of the device."),
        AdminProperty("edition", .nullable(AdminSchemas.text), "The edition."),
        AdminProperty("backend", .nullable(AdminSchemas.text), "The backend that decided or failed."),
        AdminProperty("freshness", .nullable(AdminSchemas.text), "`live`, `cached` or `stale`."),
        AdminProperty("detail", .nullable(AdminSchemas.text), "More about the event."),
        AdminProperty("actor", .nullable(AdminSchemas.text), "Who of the staff took the action."),
    ])

    private static func json(_ line: TimelineLine) -> JSONValue {
        [
            "time": .time(line.time), "last_time": .time(line.lastTime), "count": .count(line.count),
            "kind": .string(line.kind), "action": .optional(line.action), "call": .optional(line.call),
            "reason": .optionalLine(line.reason), "device": .optional(line.device),
            "edition": .optional(line.edition), "backend": .optional(line.backend),
            "freshness": .optional(line.freshness), "detail": .optionalLine(line.detail),
            "actor": .optionalLine(line.actor),
        ]
    }
}
