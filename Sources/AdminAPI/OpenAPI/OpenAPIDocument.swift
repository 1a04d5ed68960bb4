import Gatefold
import HTTPTypes
package import JSON

/// The description of the admin API in OpenAPI 3.1, made from the declarations of its operations.
package enum OpenAPIDocument {
    package static func make<Services>(_ operations: [AdminOperation<Services>]) -> JSONValue {
        var paths: [JSONValue.Member] = []
        for path in operations.map(\.path).uniqued() {
            let methods = operations.filter { $0.path == path }.map { operation in
                JSONValue.Member(name: operation.method.rawValue.lowercased(), value: describe(operation))
            }
            paths.append(.init(name: path.description, value: .object(methods)))
        }
        return [
            "openapi": "3.1.0",
            "info": [
                "title": "Gatefold admin API", "version": "1",
                "description":
                    "Everything that an operator or a support agent does. Each operation names the minimum role of its token.",
            ],
            "servers": [["url": "/admin/v1"]],
            "security": [["token": []]],
            "paths": .object(paths),
            "components": [
                "securitySchemes": [
                    "token": [
                        "type": "http", "scheme": "bearer",
                        "description": "A token that `gatefold admin token new` printed.",
                    ]
                ],
                "schemas": ["Problem": AdminProblem.schema.jsonSchema],
                "responses": [
                    "Problem": [
                        "description": "The request was not successful (RFC 9457).",
                        "content": [
                            "application/problem+json": ["schema": ["$ref": "#/components/schemas/Problem"]]
                        ],
                    ]
                ],
            ],
        ]
    }

    private static func describe<Services>(_ operation: AdminOperation<Services>) -> JSONValue {
        var description = operation.description.isEmpty ? "" : operation.description + "\n\n"
        description += "Role: \(operation.role.rawValue)."
        if operation.reach == .everything { description += " Requires a token for all publications." }
        if let action = operation.audits { description += " Recorded in the audit log as `\(action.rawValue)`." }
        let parameters = parameters(of: operation)
        var value: JSONValue = [
            "operationId": .string(operation.id), "summary": .string(operation.summary),
            "description": .string(description), "x-gatefold-role": .string(operation.role.rawValue),
        ]
        if !parameters.isEmpty { value = value.adding("parameters", .array(parameters)) }
        if let body = operation.body {
            value = value.adding(
                "requestBody",
                [
                    "required": true,
                    "content": [
                        "application/json": ["schema": body.schema.jsonSchema, "example": body.example]
                    ],
                ])
        }
        return value.adding("responses", responses(of: operation))
    }

    private static func parameters<Services>(of operation: AdminOperation<Services>) -> [JSONValue] {
        func describe(_ property: AdminProperty, in place: String) -> JSONValue {
            [
                "name": .string(property.name), "in": .string(place),
                "required": .boolean(property.isRequired), "description": .string(property.description),
                "schema": property.schema.jsonSchema,
            ]
        }
        let publication = AdminProperty(
            "publication", .string(AdminText(1...64, .name)), "The name of the publication.")
        let path = (operation.reach == .publication ? [publication] : []) + operation.pathParameters
        let query = operation.query + (operation.success.isPage ? AdminPage.parameters : [])
        let header = AdminProperty(
            "Idempotency-Key", IdempotencyKey.schema,
            "A text that identifies the request. A repetition within 24 hours gets the same response and changes nothing.",
            isRequired: operation.needsKey)
        return path.map { describe($0, in: "path") } + query.map { describe($0, in: "query") }
            + (operation.isChange ? [describe(header, in: "header")] : [])
    }

    private static func responses<Services>(of operation: AdminOperation<Services>) -> JSONValue {
        var success: JSONValue = ["description": .string(operation.success.description)]
        if let schema = operation.success.schema {
            success = success.adding("content", ["application/json": ["schema": schema.jsonSchema]])
        }
        var statuses = [400, 401, 403, 404, 413, 429, 500, 503]
        if operation.body != nil { statuses.append(415) }
        if operation.isChange { statuses += [409, 422] }
        let problems = statuses.sorted().map { status in
            JSONValue.Member(name: String(status), value: ["$ref": "#/components/responses/Problem"])
        }
        return .object([.init(name: String(operation.success.status), value: success)] + problems)
    }
}

extension Sequence where Element: Hashable {
    fileprivate func uniqued() -> [Element] {
        var seen: Set<Element> = []
        return filter { seen.insert($0).inserted }
    }
}
