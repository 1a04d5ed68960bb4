/// A field that the merchant requires at registration.
public struct RegistrationField: Sendable, Hashable {
    public enum Kind: Sendable, Hashable {
        case input, select, radio, checkbox, datePicker, country
        /// A kind that this library does not know, by its name.
        case other(String)

        init(_ name: String) {
            self =
                switch name {
                case "input": .input
                case "select": .select
                case "radio": .radio
                case "checkbox": .checkbox
                case "datepicker": .datePicker
                case "country": .country
                default: .other(name)
                }
        }
    }

    public let id: Int?
    /// The key in ``AccountRegistration/metadata``.
    public let name: String
    public let label: String?
    public let kind: Kind
    public let isRequired: Bool
    public let defaultValue: String?
    public let placeholder: String?
    /// The options and their labels.
    public let options: [String: String]
}

extension RegistrationField: ResponseModel {
    init(_ response: ResponseValue) throws(UnreadableResponse) {
        id = response["id"]?.integer
        name = try response.required("name", \.text)
        label = response["label"]?.text
        kind = Kind(response["type"]?.text ?? "input")
        isRequired = response["required"]?.flag ?? false
        defaultValue = response["default_value"]?.text
        placeholder = response["placeholder"]?.text
        options = response["options"]?.texts ?? [:]
    }
}
