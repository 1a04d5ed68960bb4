import AdminAPI
import Gatefold
import HTTPTypes
import JSON

extension AdminOperations {
    static let readerSearch: [Operation] = [
        Operation(
            "findReaders", .post, "/publications/{publication}/readers/search", role: .support, reach: .publication,
            summary: "Find readers by whatever they can name",
            description: """
                Finds by the sign-in identifier, the backend's own key, the pseudonym of a log line (14 hexadecimal digits), the \
                token of an app, the pseudonym of a device (16 hexadecimal digits), or the order or transaction of an app \
                store. The subscriber systems are queried with the limits of their configuration. A text like a token does not \
                reach them. At most \(ReaderSearch.maxReaders) readers are returned.
                """,
            body: AdminBody(
                [AdminProperty("query", .string(AdminText(1...8_192)), "What the reader has named.")],
                example: ["query": "ada@example.com"]),
            success: .json(
                .object([
                    AdminProperty("readers", .list(foundReader), "The readers that were found, each once."),
                    AdminProperty(
                        "is_complete", .boolean, "Whether everything was searched, and all that was found is here."),
                    AdminProperty("unavailable", .list(unavailable), "The backends that did not respond."),
                    AdminProperty(
                        "not_searchable", .list(AdminSchemas.text),
                        "The backends that cannot find readers without a proof."),
                ]), "The readers."),
            audits: .readerSearch
        ) { services, call in
            let service = try services.service(call)
            let publication = try call.publication
            let text = call.body["query"]?.text ?? ""
            let entered = AuditSubject.identifier(text, services.key)
            let result = try await call.trail.perform(
                .readerSearch, of: [entered], in: publication,
                outcome: { (result: ReaderSearch.Result) -> AuditDetails.Pairs in
                    [("found", String(result.readers.count))]
                }
            ) { try await ReaderSearch(services, in: service).run(text) }
            let subjects = result.readers.map { AuditSubject.subscriber(services.key.reference(to: $0.subscriber)) }
            if !subjects.isEmpty { try await call.trail.record(.readerSearch, of: subjects, in: publication) }
            return [
                "readers": .array(
                    try result.readers.map { reader in
                        [
                            "reader": .string(try ReaderHandle(reader.subscriber, key: services.key).description),
                            "pseudonym": .string(services.key.reference(to: reader.subscriber).description),
                            "backend": .string(reader.subscriber.backend), "key": .string(reader.subscriber.key),
                            "matched": .string(reader.match.rawValue),
                        ]
                    }),
                "is_complete": .boolean(result.isComplete),
                "unavailable": .array(
                    result.failures.sorted { $0.key < $1.key }.map { backend, cause in
                        ["backend": .string(backend), "cause": .line(cause)]
                    }),
                "not_searchable": .array(result.unsupported.sorted().map(JSONValue.string)),
            ]
        }
    ]

    private static let foundReader = AdminSchema.object([
        AdminProperty("reader", AdminSchemas.handle, "The handle of the reader."),
        AdminProperty("pseudonym", AdminSchemas.pseudonym, "The pseudonym in logs."),
        AdminProperty("backend", AdminSchemas.text, "The backend of the reader."),
        AdminProperty("key", AdminSchemas.text, "The backend's own key for the reader."),
        AdminProperty("matched", .choice(ReaderSearch.Match.allCases.map(\.rawValue)), "What the query is."),
    ])

    private static let unavailable = AdminSchema.object([
        AdminProperty("backend", AdminSchemas.text, "The backend."),
        AdminProperty("cause", AdminSchemas.text, "The cause in one line."),
    ])
}
