import AdminAPI
import Foundation
import Gatefold
import HTTPTypes
import JSON

extension AdminOperations {
    static let audit: [Operation] = [
        Operation(
            "listAuditEntries", .get, "/audit", role: .operator, reach: .scoped,
            summary: "List entries of the audit log, the newest first",
            description: """
                A token for some publications must name one of them, unless it is for a single one. The entries of a person show \
                what they do, so that a request with the subject of one is recorded.
                """,
            query: [
                AdminProperty("since", .timestamp, "Only entries from this time on.", isRequired: false),
                AdminProperty("until", .timestamp, "Only entries before this time.", isRequired: false),
                AdminProperty(
                    "actor", .string(AdminText(1...200)), "Only actors that begin with this text.", isRequired: false),
                AdminProperty(
                    "action", .string(AdminText(1...64, .dotted)), "Only actions that begin with this text.",
                    isRequired: false),
                AdminProperty("subject", .string(AdminText(1...200)), "Only this subject.", isRequired: false),
                AdminProperty("publication", AdminSchemas.publication, "Only this publication.", isRequired: false),
            ],
            success: .page(of: entry, "A page of entries."), audits: .auditShow
        ) { services, call in
            let before = call.page.after.flatMap { Int64($0) }
            let shown = try publication(call.query["publication"]?.text, call.user.scope)
            if let person = call.query["subject"]?.text.flatMap({ AuditSubject(person: $0) }) {
                try await call.trail.record(.auditShow, of: [person], in: shown.flatMap { PublicationID($0) })
            }
            let filter = AuditQuery.Filter(
                since: call.query["since"]?.text.flatMap { AdminSchema.date($0) },
                until: call.query["until"]?.text.flatMap { AdminSchema.date($0) },
                actor: call.query["actor"]?.text, action: call.query["action"]?.text,
                subject: call.query["subject"]?.text,
                publication: shown)
            let entries = try await services.state.page(
                AuditQuery(.newestFirst(before: before), limit: call.page.limit + 1, filter: filter))
            return try call.page.page(entries.map { (String($0.sequence), json($0)) })
        },
        Operation(
            "verifyAuditLog", .get, "/audit/verification", role: .admin, reach: .everything,
            summary: "Verify the hashes of the audit log",
            description: """
                Reads the whole log. A node makes one verification at a time. Note the head outside of the state to find a \
                missing end later.
                """,
            success: .json(
                .object([
                    AdminProperty("intact", .integer(0...Int.max), "The intact entries up to the first break."),
                    AdminProperty("head", .nullable(AdminSchemas.text), "The last of them; null if there is none."),
                    AdminProperty("break", .nullable(AdminSchemas.text), "The first broken place; null for none."),
                ]), "The result.")
        ) { services, call in
            let report = try await services.verification.run {
                try await AuditVerification.run(services.state, AuditChain(services.key))
            }
            guard let report else { throw AdminProblem.tooMany(after: 60) }
            return [
                "intact": .number(String(report.intact)), "head": .optional(report.head?.description),
                "break": .optional(report.firstBreak?.description),
            ]
        },
    ]

    /// Returns the publication whose entries a user sees; nil for all.
    private static func publication(_ name: String?, _ scope: AdminScope) throws(AdminProblem) -> String? {
        guard let allowed = scope.publications else { return name }
        guard let name = name ?? (allowed.count == 1 ? allowed.first?.rawValue : nil) else {
            throw .invalid(.init("publication", "one of the publications of the token"))
        }
        guard let id = PublicationID(name), allowed.contains(id) else { throw .notFound }
        return name
    }

    private static let entry = AdminSchema.object([
        AdminProperty("sequence", .integer(Int.min...Int.max), "The number of the entry."),
        AdminProperty("time", .timestamp, "The time by the clock of the state."),
        AdminProperty("actor_kind", AdminSchemas.text, "The kind of actor."),
        AdminProperty("actor", AdminSchemas.text, "The name of the actor."),
        AdminProperty("action", AdminSchemas.text, "The action."),
        AdminProperty("subject", .nullable(AdminSchemas.text), "The person, by pseudonym, or the object."),
        AdminProperty("publication", .nullable(AdminSchemas.text), "The publication."),
        AdminProperty("reason", .nullable(AdminSchemas.text), "The reason that the actor gave."),
        AdminProperty("details", .dictionary(AdminSchemas.text), "Further facts."),
    ])

    private static func json(_ entry: AuditEntry) -> JSONValue {
        var seen: Set<String> = []
        let details = AuditDetails.pairs(in: entry.details).filter { seen.insert($0.name).inserted }
        return [
            "sequence": .number(String(entry.sequence)), "time": .time(entry.time),
            "actor_kind": .string(entry.actorKind), "actor": .string(entry.actor), "action": .string(entry.action),
            "subject": .optional(entry.subject), "publication": .optional(entry.publication),
            "reason": .optional(entry.reason),
            "details": .object(details.map { .init(name: $0.name, value: .string($0.value)) }),
        ]
    }
}
