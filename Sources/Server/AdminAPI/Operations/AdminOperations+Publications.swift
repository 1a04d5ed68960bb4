import AdminAPI
import Commerce
import FrontDoors
import Gatefold
import HTTPTypes
import JSON

extension AdminOperations {
    static let publications: [Operation] = [
        Operation(
            "listPublications", .get, "/publications", role: .viewer, reach: .scoped,
            summary: "List the publications of the token",
            success: .page(
                of: .object([
                    AdminProperty("id", AdminSchemas.publication, "The name of the publication."),
                    AdminProperty("backend", AdminSchemas.text, "The backend of its readers."),
                    AdminProperty("sells", .boolean, "Whether it sells in app stores."),
                    AdminProperty("device_limit", .nullable(.integer(1...1_000_000)), "The maximum; null: none."),
                ]), "A page of publications by name.")
        ) { services, call in
            let shown = services.publications.value.directory.byID.filter { call.user.scope.includes($0.key) }
            return try call.page.page(ofAll: shown, by: { $0.key.rawValue }) { id, service in
                [
                    "id": .string(id.rawValue), "backend": .string(service.backend.name),
                    "sells": .boolean(service.purchases != nil),
                    "device_limit": service.publication.deviceLimit.map { .count($0.maxDevices) } ?? .null,
                ]
            }
        },
        Operation(
            "listEditions", .get, "/publications/{publication}/editions", role: .viewer, reach: .publication,
            summary: "List the editions of a publication",
            query: [
                AdminProperty(
                    "order", .choice(["identifier", "published"]),
                    "`published`: by publication date, the newest first. Default: `identifier`, ascending.",
                    isRequired: false)
            ],
            success: .page(
                of: .object([
                    AdminProperty("id", AdminSchemas.text, "The identifier of the edition."),
                    AdminProperty("title", AdminSchemas.text, "The title."),
                    AdminProperty("published", .timestamp, "The publication date."),
                    AdminProperty("free", .boolean, "Whether every reader may have it."),
                    AdminProperty("draft", .boolean, "Whether it is a draft."),
                    AdminProperty("withdrawn", .nullable(.timestamp), "When it was withdrawn; null if it was not."),
                ]), "A page of editions.")
        ) { services, call in
            let editions = try services.service(call).publication.rule.catalogue.editions
            if call.query["order"]?.text == "published" {
                let key = { (edition: Edition) in TimeKey.of(edition.published, edition.id.rawValue) }
                return try call.page.page(ofAll: editions, isAscending: false, by: key, json: json)
            }
            return try call.page.page(ofAll: editions, by: { $0.id.rawValue }, json: json)
        },
    ]

    private static func json(_ edition: Edition) -> JSONValue {
        [
            "id": .string(edition.id.rawValue), "title": .string(edition.title),
            "published": .time(edition.published), "free": .boolean(edition.isFree),
            "draft": .boolean(edition.isDraft), "withdrawn": .time(edition.withdrawn),
        ]
    }
}
