/// A JSON value that preserves its text (RFC 8259): numbers retain their digits, and objects retain the order of
/// their members.
package indirect enum JSONValue: Sendable, Equatable {
    case null
    case boolean(Bool)
    /// A number with the digits of the text.
    case number(String)
    case string(String)
    case array([JSONValue])
    case object([Member])

    package struct Member: Sendable, Equatable {
        package let name: String
        package let value: JSONValue

        package init(name: String, value: JSONValue) {
            self.name = name
            self.value = value
        }
    }

    /// Returns the member of an object, or nil for any other value.
    package subscript(name: String) -> JSONValue? {
        guard case .object(let members) = self else { return nil }
        return members.first { $0.name == name }?.value
    }

    /// Returns the item of an array, counted from 0, or nil for any other value.
    package subscript(index: Int) -> JSONValue? {
        guard case .array(let items) = self, items.indices.contains(index) else { return nil }
        return items[index]
    }

    /// The items of an array or the member values of an object.
    package var children: [JSONValue] {
        switch self {
        case .array(let items): items
        case .object(let members): members.map(\.value)
        default: []
        }
    }

    /// Returns whether a text is a JSON number (RFC 8259 section 6).
    package static func isNumber(_ text: String) -> Bool {
        text.wholeMatch(of: /-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][+\-]?[0-9]+)?/) != nil
    }

    /// Returns a text as a JSON string in quotes. Control characters and line ends are escaped, `/` is not.
    package static func quoted(_ text: String) -> String {
        var result = "\""
        for scalar in text.unicodeScalars {
            switch scalar {
            case "\"": result += "\\\""
            case "\\": result += "\\\\"
            case "\u{0}"..<"\u{20}", "\u{7F}"..."\u{9F}", "\u{2028}", "\u{2029}":
                let digits = String(scalar.value, radix: 16)
                result += "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
            default: result.unicodeScalars.append(scalar)
            }
        }
        return result + "\""
    }
}

/// The reason that bytes are not unambiguous JSON.
package enum JSONError: Error, Equatable {
    case malformed
    case tooDeep
    /// Two members of one object have the same name. Parsers differ in the member that they use.
    case duplicateName
    /// An expression visits too many values.
    case tooMuch
}
