import Accounts
import JSON

/// An account as SDKs read it. `metadata` is an object of texts even if it is empty, because iOS reads no other
/// type.
///
/// Source: InPlayer protocol, “Account document”.
enum AccountDocument {
    static func value(_ account: Account, _ settings: InPlayerSettings) -> JSONValue {
        let details = account.details
        return [
            "id": .integer(account.number), "uuid": .string(account.uuid), "email": .string(details.identifier),
            "username": .string(details.identifier), "full_name": .string(details.fullName ?? ""),
            "referrer": .string(details.referrer ?? ""), "roles": ["consumer"], "completed": true,
            "created_at": .seconds(account.created), "updated_at": .seconds(account.updated),
            "merchant_id": .integer(settings.merchantNumber), "merchant_uuid": .string(settings.merchant),
            "metadata": .texts(details.metadata), "social_apps_metadata": [],
            "date_of_birth": details.dateOfBirth.map { .string($0) } ?? .null,
        ]
    }
}

/// The fields that apps show at registration.
enum RegisterFieldsDocument {
    static func value(_ fields: [InPlayerField]) -> JSONValue {
        [
            "collection": .array(
                fields.enumerated().map { index, field in
                    [
                        "id": .integer(index + 1), "name": .string(field.name), "label": .string(field.label),
                        "type": .string(field.kind.rawValue), "required": .boolean(field.isRequired),
                        "default_value": .string(field.defaultValue), "placeholder": .string(field.placeholder),
                        "options": .object(
                            field.options.map { .init(name: $0.value, value: .string($0.label)) }),
                    ]
                }), "total": .integer(fields.count), "page": 0, "offset": 0, "limit": .integer(fields.count),
        ]
    }
}
