/// What a value is, as a reader expects it; nil when it is something else. Nothing is converted: "1" is a text, 1 a number.
extension JSONValue {
    package var text: String? {
        if case .string(let text) = self { text } else { nil }
    }

    package var truth: Bool? {
        if case .boolean(let value) = self { value } else { nil }
    }

    /// A number without a fraction or an exponent that fits.
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
