/// A JSON text as it was written (RFC 8259): numbers keep their digits, and objects the order of their members.
package indirect enum JSONValue: Sendable, Equatable {
    case null
    case boolean(Bool)
    /// As it stands in the text.
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

    /// The member of an object; nil for anything else.
    package subscript(name: String) -> JSONValue? {
        guard case .object(let members) = self else { return nil }
        return members.first { $0.name == name }?.value
    }

    /// The item of an array, from 0; nil for anything else.
    package subscript(index: Int) -> JSONValue? {
        guard case .array(let items) = self, items.indices.contains(index) else { return nil }
        return items[index]
    }

    /// What is directly inside.
    package var children: [JSONValue] {
        switch self {
        case .array(let items): items
        case .object(let members): members.map(\.value)
        default: []
        }
    }

    /// Whether a text is a number of JSON (RFC 8259 section 6).
    package static func isNumber(_ text: String) -> Bool {
        text.wholeMatch(of: /-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][+\-]?[0-9]+)?/) != nil
    }

    /// A text as JSON has it, in quotes: what could be taken for a control or a line end is escaped, `/` is not.
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

/// Why bytes are no JSON that can be trusted to mean one thing.
package enum JSONError: Error, Equatable {
    case malformed
    case tooDeep
    /// Two members of one object have the same name: readers differ in which counts.
    case duplicateName
    /// An expression looks at too much.
    case tooMuch
}
