import AdminAPI
import Gatefold
import HTTPTypes
import JSON

extension AdminOperations {
    /// The operations about the API itself.
    static let own: [Operation] = [
        Operation(
            "whoAmI", .get, "/whoami", role: .viewer, reach: .scoped, summary: "Show the user of the token",
            success: .json(
                .object([
                    AdminProperty("name", AdminSchemas.text, "The name of the user."),
                    AdminProperty("role", .choice(AdminRole.allCases.map(\.rawValue)), "The role."),
                    AdminProperty(
                        "publications", .nullable(.list(AdminSchemas.publication)), "The publications; null for all."),
                ]), "The user.")
        ) { _, call in
            let scope = call.user.scope
            return [
                "name": .string(call.user.name), "role": .string(scope.role.rawValue),
                "publications": scope.publications.map { .array($0.sorted().map { .string($0.rawValue) }) } ?? .null,
            ]
        },
        Operation(
            "getOpenAPI", .get, "/openapi.json", role: .viewer, reach: .scoped,
            summary: "Get this description of the API",
            success: .json(.dictionary(.anything), "The description in OpenAPI 3.1.")
        ) { _, _ in description },
    ]

    /// The description of the API, which is large.
    private static let description = OpenAPIDocument.make(all)
}
