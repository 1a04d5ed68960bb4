import HTTPTypes
import Hummingbird
import JSON

/// The parser of the fields of an app's request: forms, and JSON in which `metadata` may be an object.
enum InPlayerFields {
    /// The fields that are read from bodies only, because histories and logs store URLs.
    private static let secrets: Set<String> = ["password", "password_confirmation", "old_password", "refresh_token"]

    /// Reads the fields of a request.
    ///
    /// - Throws: ``RequestRejection``, and any error of the connection while the body arrives.
    static func read(_ request: Request, limits: RequestLimits) async throws -> [String: String] {
        let query = try RequestFields.query(of: request, limits: limits).filter { !secrets.contains($0.key) }
        var head = request.head
        head.path = request.uri.path
        let body = try await RequestFields.read(
            Request(head: head, body: request.body), limits: limits, parse: isJSON(request) ? json : nil)
        guard query.count + body.count <= limits.maxFields else { throw RequestRejection.tooManyFields }
        return query.merging(body) { $1 }
    }

    private static func isJSON(_ request: Request) -> Bool {
        let type = (request.headers[.contentType] ?? "").prefix { $0 != ";" }
        return type.filter { $0 != " " && $0 != "\t" }.lowercased() == "application/json"
    }

    /// Parses JSON to the fields of an equivalent form: `{"metadata": {"city": "Paris"}}` is
    /// `metadata[city]=Paris`.
    @Sendable
    static func json(_ bytes: [UInt8]) throws(RequestRejection) -> [(name: String, value: String)] {
        guard let document = try? JSONParser.parse(bytes), case .object(let members) = document else {
            throw .notFlatJSON
        }
        var fields: [(name: String, value: String)] = []
        for member in members where !member.name.isEmpty {
            if member.name == "metadata", case .object(let entries) = member.value {
                for entry in entries where !entry.name.isEmpty {
                    fields.append(("metadata[\(entry.name)]", try scalar(entry.value) ?? ""))
                }
            } else if let value = try scalar(member.value) {
                fields.append((member.name, value))
            }
        }
        return fields
    }

    /// Returns the text of a scalar value, or `nil` for null.
    private static func scalar(_ value: JSONValue) throws(RequestRejection) -> String? {
        switch value {
        case .null: return nil
        case .boolean(let isTrue): return isTrue ? "true" : "false"
        case .number(let text), .string(let text): return text
        case .array, .object: throw .notFlatJSON
        }
    }
}
