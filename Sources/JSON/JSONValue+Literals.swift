extension JSONValue: ExpressibleByStringLiteral, ExpressibleByBooleanLiteral, ExpressibleByIntegerLiteral {
    package init(stringLiteral value: String) {
        self = .string(value)
    }

    package init(booleanLiteral value: Bool) {
        self = .boolean(value)
    }

    package init(integerLiteral value: Int) {
        self = .number(String(value))
    }
}

extension JSONValue: ExpressibleByArrayLiteral {
    package init(arrayLiteral items: JSONValue...) {
        self = .array(items)
    }
}

extension JSONValue: ExpressibleByDictionaryLiteral {
    /// Creates an object with the members in the order of the literal.
    package init(dictionaryLiteral members: (String, JSONValue)...) {
        self = .object(members.map { Member(name: $0.0, value: $0.1) })
    }
}
