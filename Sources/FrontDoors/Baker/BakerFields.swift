import Gatefold
import Hummingbird

/// What a Baker call says, from its path, query and body together (PROTOCOLS 2.1).
///
/// Names are taken without regard to case, as the client takes those of its placeholders. What the path says comes before the
/// body, and the body before the query, whatever the spelling.
struct BakerFields {
    /// The longest identifier of an installation that is one, in bytes. Clients make 36.
    static let longestUser = 256

    private let values: [String: String]

    /// - Throws: ``RequestRefusal``, and whatever the connection throws.
    init(_ request: Request) async throws {
        self.init(
            try await RequestFields.read(
                request, limits: .receipts, ignoringCase: true, parse: BakerBody.parse))
    }

    /// - Parameter values: by names in lower case.
    init(_ values: [String: String]) {
        self.values = values
    }

    /// With what stands in the path.
    ///
    /// - Parameter path: by names in lower case.
    func with(_ path: [String: String]) -> BakerFields { BakerFields(values.merging(path) { $1 }) }

    /// Nil also for what is empty.
    subscript(name: String) -> String? { values[name].flatMap { $0.isEmpty ? nil : $0 } }

    var app: String? { self["app_id"] }

    /// The installation. Nil also for a placeholder that the app left as it is: it would be the same for all.
    var user: String? {
        self["user_id"].flatMap { user in
            user.utf8.count <= Self.longestUser && user.first != ":" && !TemplateVariable.occurs(in: user) ? user : nil
        }
    }

    /// Builds signed for development say `debug`.
    var pushEnvironment: PushEnvironment { self["environment"]?.lowercased() == "debug" ? .sandbox : .production }

    func inquiry(_ client: ClientAddress?) -> Inquiry {
        Inquiry(fields: values.filter { $0.key != "receipt_data" }, client: client)
    }
}
