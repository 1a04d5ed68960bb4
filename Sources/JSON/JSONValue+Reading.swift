/// Typed access to a value. Each property is nil if the value has another type. Nothing is converted: "1" is a
/// text, 1 a number.
extension JSONValue {
    package var text: String? {
        if case .string(let text) = self { text } else { nil }
    }

    package var boolValue: Bool? {
        if case .boolean(let value) = self { value } else { nil }
    }

    /// The integer, for a number without a fraction or an exponent that fits into `Int`.
    package var integer: Int? {
        if case .number(let text) = self { Int(text) } else { nil }
    }

    package var items: [JSONValue]? {
        if case .array(let items) = self { items } else { nil }
    }

    package var members: [Member]? {
        if case .object(let members) = self { members } else { nil }
    }
}
