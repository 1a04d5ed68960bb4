import AdminAPI
import Foundation
import Gatefold
import HTTPTypes
import JSON

extension AdminOperations {
    static let explanation: [Operation] = [
        Operation(
            "explainEdition", .post, "/publications/{publication}/readers/{reader}/explanation", role: .support,
            reach: .publication, summary: "Explain why a reader can or cannot open an edition",
            description: """
                Makes the decision of the server step by step, like `gatefold explain`, and changes nothing. With `at`, the \
                subscriber systems are queried beside the server's cache and evaluated at that time, for one request at a time. \
                A state without periods is that of the present only: a verdict that depends on it is `undecided`.
                """,
            pathParameters: [AdminSchemas.readerParameter],
            body: AdminBody(
                [
                    AdminProperty("edition", .string(AdminText(1...128, .printable)), "The identifier of the edition."),
                    AdminProperty("at", .timestamp, "Another time than the present.", isRequired: false),
                ], example: ["edition": "com.example.daily.1"]),
            success: .json(explanationSchema, "The explanation."), audits: .readerExplain
        ) { services, call in
            let reader = try services.reader(call)
            guard let edition = EditionID(call.body["edition"]?.text ?? "") else {
                throw AdminProblem.invalid(.init("/edition", "the identifier of an edition"))
            }
            let set = services.publications.value
            let subject = ExplanationSubject(reader.subscriber)
            guard let time = call.body["at"]?.text.flatMap({ AdminSchema.date($0) }) else {
                let inspection = ReaderInspection(serving: reader.service, in: set)
                return json(try await AuditedInspection(inspection, edition, call.trail).explain(subject))
            }
            let id = reader.service.publication.id
            let explanation = try await services.otherTime.run {
                let inspection = try ReaderInspection(of: id, in: set, services.parts, at: time)
                return try await AuditedInspection(inspection, edition, call.trail).explain(subject)
            }
            guard let explanation else { throw AdminProblem.tooMany(after: 5) }
            return json(explanation)
        }
    ]

    private static let verdicts = ["granted", "granted_in_outage", "rejected", "unavailable", "undecided"]

    private static let explanationSchema = AdminSchema.object([
        AdminProperty("edition", AdminSchemas.text, "The edition."),
        AdminProperty("timestamp", .timestamp, "The time that the decision is about."),
        AdminProperty("is_other_time", .boolean, "Whether it is another time than the present."),
        AdminProperty("verdict", .choice(verdicts), "The result of a request for credentials."),
        AdminProperty("opens", .boolean, "Whether the reader can read the edition."),
        AdminProperty("reason", .nullable(AdminSchemas.text), "The code of the reason of a refusal."),
        AdminProperty("remedy", .nullable(AdminSchemas.text), "The remedy of the step `cause`."),
        AdminProperty(
            "cause", .nullable(.choice(ExplanationStep.Code.allCases.map(\.rawValue))),
            "The step that prevents the reader from reading."),
        AdminProperty(
            "subscription", .nullable(.object(SubscriptionJSON.properties)),
            "The subscription that the app receives; null if it is not known."),
        AdminProperty("is_search_complete", .boolean, "Whether every system was searched for the reader."),
        AdminProperty("steps", .list(stepSchema), "The steps in the order of a decision."),
    ])

    private static let stepSchema = AdminSchema.object([
        AdminProperty("step", .choice(ExplanationStep.Code.allCases.map(\.rawValue)), "The step."),
        AdminProperty("outcome", .choice(ExplanationStep.Outcome.allCases.map(\.rawValue)), "The outcome."),
        AdminProperty("values", .list(NamedValueJSON.schema), "The values that the step depends on, 100 at most."),
        AdminProperty("backend", .nullable(AdminSchemas.text), "The backend that the values come from."),
        AdminProperty("freshness", .nullable(AdminSchemas.text), "`live`, `cached` or `stale`."),
        AdminProperty("reason", .nullable(AdminSchemas.text), "The code of the reason."),
        AdminProperty("remedy", .nullable(AdminSchemas.text), "The remedy."),
        AdminProperty(
            "is_of_present", .boolean, "Whether the values are those of the present in a decision about another time."),
    ])

    private static func json(_ explanation: Explanation) -> JSONValue {
        [
            "edition": .string(explanation.edition.rawValue), "timestamp": .time(explanation.timestamp),
            "is_other_time": .boolean(explanation.isOtherTime), "verdict": .string(explanation.verdict.name),
            "opens": .boolean(explanation.opens), "reason": .optional(explanation.verdict.reason?.rawValue),
            "remedy": .optional(explanation.cause?.remedy), "cause": .optional(explanation.cause?.code.rawValue),
            "subscription": explanation.subscription.map { .object(SubscriptionJSON.members($0)) } ?? .null,
            "is_search_complete": .boolean(explanation.isSearchComplete),
            "steps": .array(explanation.steps.map { json($0) }),
        ]
    }

    private static func json(_ step: ExplanationStep) -> JSONValue {
        [
            "step": .string(step.code.rawValue), "outcome": .string(step.outcome.rawValue),
            "values": .array(step.values.prefix(100).map { NamedValueJSON.json($0.name, $0.value) }),
            "backend": .optional(step.backend), "freshness": .optional(step.freshness?.name),
            "reason": .optional(step.reason?.rawValue), "remedy": .optional(step.remedy),
            "is_of_present": .boolean(step.isOfPresent),
        ]
    }
}
