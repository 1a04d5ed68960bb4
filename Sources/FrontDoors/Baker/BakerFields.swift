import Gatefold
import Hummingbird

/// The fields of a Baker call, from its path, query and body together.
///
/// Names are compared without regard to case, as the client does for its placeholders. The path takes precedence
/// over the body, and the body over the query, regardless of spelling.
///
/// Source: Baker protocol, “Common parameters” and “Placeholders in URLs”.
struct BakerFields {
    /// The maximum length of an installation's identifier, in bytes. Clients create 36 bytes.
    static let maxUserLength = 256

    private let values: [String: String]

    /// - Throws: ``RequestRejection``, and any error of the connection.
    init(_ request: Request) async throws {
        self.init(
            try await RequestFields.read(
                request, limits: .receipts, ignoringCase: true, parse: BakerBody.parse))
    }

    /// - Parameter values: The values by names in lower case.
    init(_ values: [String: String]) {
        self.values = values
    }

    /// Returns the fields with those of the path added.
    ///
    /// - Parameter path: The values by names in lower case.
    func with(_ path: [String: String]) -> BakerFields { BakerFields(values.merging(path) { $1 }) }

    /// Returns the value of a field, or `nil` if it is missing or empty.
    subscript(name: String) -> String? { values[name].flatMap { $0.isEmpty ? nil : $0 } }

    var app: String? { self["app_id"] }

    /// The installation. It is also `nil` for a placeholder that the app did not replace, because all installations
    /// would share it.
    var user: String? {
        self["user_id"].flatMap { user in
            user.utf8.count <= Self.maxUserLength && user.first != ":" && !TemplateVariable.occurs(in: user)
                ? user : nil
        }
    }

    /// The push environment. Development builds send `debug`.
    var pushEnvironment: PushEnvironment { self["environment"]?.lowercased() == "debug" ? .sandbox : .production }

    func context(_ client: ClientAddress?) -> CallContext {
        CallContext(fields: values.filter { $0.key != "receipt_data" }, client: client)
    }
}
