import Hummingbird
import JSON

/// `{"bundle_id":"…","push_token":{"token":"BASE64"}}` (PROTOCOLS 3).
struct BasispressRegistration: Equatable {
    /// Empty where the body names none.
    let app: String
    /// Empty where the body has none.
    let text: String

    /// - Throws: ``RequestRefusal``, and whatever the connection throws.
    init(_ request: Request) async throws {
        try self.init(try await RequestFields.bytes(of: request, upTo: RequestLimits().longestBody))
    }

    init(_ bytes: [UInt8]) throws(RequestRefusal) {
        guard let value = try? JSONParser.parse(bytes), value.members != nil else { throw .notFlatJSON }
        app = value["bundle_id"]?.text ?? ""
        text = value["push_token"]?["token"]?.text ?? ""
    }
}
