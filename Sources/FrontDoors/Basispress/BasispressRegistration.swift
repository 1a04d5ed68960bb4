import Hummingbird
import JSON

/// The body of a registration: `{"bundle_id":"…","push_token":{"token":"BASE64"}}`.
///
/// Source: Basispress protocol, “Push token registration”.
struct BasispressRegistration: Equatable {
    /// The bundle identifier, empty if the body names none.
    let app: String
    /// The push token, empty if the body has none.
    let text: String

    /// - Throws: ``RequestRejection``, and any error of the connection.
    init(_ request: Request) async throws {
        try self.init(try await RequestFields.bytes(of: request, upTo: RequestLimits().maxBodySize))
    }

    init(_ bytes: [UInt8]) throws(RequestRejection) {
        guard let value = try? JSONParser.parse(bytes), value.members != nil else { throw .notFlatJSON }
        app = value["bundle_id"]?.text ?? ""
        text = value["push_token"]?["token"]?.text ?? ""
    }
}
