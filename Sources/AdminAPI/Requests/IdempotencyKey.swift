package import HTTPTypes
import JSON

/// The key of a request that changes something, see ``AdminOutcomeStore``. 1 to 128 visible ASCII characters.
package struct IdempotencyKey: Sendable, Hashable {
    package static let field = HTTPField.Name.idempotencyKey
    static let schema = AdminSchema.string(AdminText(1...128, .visible))

    let text: String

    init?(_ text: String?) {
        guard let text, Self.schema.faults(of: .string(text)).isEmpty else { return nil }
        self.text = text
    }
}

extension HTTPField.Name {
    package static let idempotencyKey: HTTPField.Name = {
        guard let name = HTTPField.Name("Idempotency-Key") else { preconditionFailure("not a header name") }
        return name
    }()
}
