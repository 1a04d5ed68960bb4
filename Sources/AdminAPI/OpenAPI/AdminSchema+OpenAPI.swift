package import JSON

extension AdminSchema {
    /// The schema as JSON Schema (draft 2020-12), as OpenAPI 3.1 uses it.
    package var jsonSchema: JSONValue {
        switch self {
        case .string(let rule):
            var members: [JSONValue.Member] = [
                .init(name: "type", value: "string"),
                .init(name: "minLength", value: .number(String(rule.length.lowerBound))),
                .init(name: "maxLength", value: .number(String(rule.length.upperBound))),
            ]
            let pattern = rule.characters.map { "^\($0.rawValue)*$" } ?? "^[^\\u0000]*$"
            members.append(.init(name: "pattern", value: .string(pattern)))
            return .object(members)
        case .choice(let texts):
            return ["type": "string", "enum": .array(texts.map(JSONValue.string))]
        case .integer(let range):
            return [
                "type": "integer", "minimum": .number(String(range.lowerBound)),
                "maximum": .number(String(range.upperBound)),
            ]
        case .number: return ["type": "number"]
        case .boolean: return ["type": "boolean"]
        case .timestamp:
            return [
                "type": "string", "format": "date-time",
                "pattern": "^[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}:[0-9]{2}Z$",
            ]
        case .list(let item): return ["type": "array", "items": item.jsonSchema]
        case .dictionary(let item): return ["type": "object", "additionalProperties": item.jsonSchema]
        case .object(let properties):
            let required = properties.filter(\.isRequired).map { JSONValue.string($0.name) }
            let members = properties.map { property in
                JSONValue.Member(
                    name: property.name,
                    value: property.schema.jsonSchema.adding("description", .string(property.description)))
            }
            let schema: JSONValue = [
                "type": "object", "properties": .object(members), "additionalProperties": false,
            ]
            return required.isEmpty ? schema : schema.adding("required", .array(required))
        case .nullable(let schema): return ["anyOf": [schema.jsonSchema, ["type": "null"]]]
        case .anything: return [:]
        }
    }
}

extension JSONValue {
    /// Returns the object with another member at its end.
    func adding(_ name: String, _ value: JSONValue?) -> JSONValue {
        guard let value, case .object(let members) = self else { return self }
        return .object(members + [Member(name: name, value: value)])
    }
}
