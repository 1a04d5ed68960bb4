/// Something that a merchant asks for when an account is made.
public struct RegistrationField: Sendable, Hashable {
    public enum Kind: Sendable, Hashable {
        case input, select, radio, checkbox, datePicker, country
        /// One that this library does not know, by its name.
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
    /// The name in ``AccountRegistration/metadata``.
    public let name: String
    public let label: String?
    public let kind: Kind
    public let isRequired: Bool
    public let defaultValue: String?
    public let placeholder: String?
    /// The choices and what each is called.
    public let options: [String: String]
}

extension RegistrationField: AnswerModel {
    init(_ answer: Answer) throws(UnreadableAnswer) {
        id = answer["id"]?.integer
        name = try answer.required("name", \.text)
        label = answer["label"]?.text
        kind = Kind(answer["type"]?.text ?? "input")
        isRequired = answer["required"]?.flag ?? false
        defaultValue = answer["default_value"]?.text
        placeholder = answer["placeholder"]?.text
        options = answer["options"]?.texts ?? [:]
    }
}
