/// The type of a value in a request or a response: the one source of its check and of its description.
package indirect enum AdminSchema: Sendable {
    case string(AdminText)
    /// One of several texts.
    case choice([String])
    case integer(ClosedRange<Int>)
    case number
    case boolean
    /// A time in UTC with seconds (RFC 3339).
    case timestamp
    case list(AdminSchema)
    /// An object with exactly these members. Other members are rejected, so that no request can assign a value that it
    /// must not.
    case object([AdminProperty])
    /// An object whose members have any names and values of one type.
    case dictionary(AdminSchema)
    case nullable(AdminSchema)
    /// Any JSON value, for the description of the API itself.
    case anything
}

/// The rule for a text.
package struct AdminText: Sendable {
    /// The range of its length in Unicode scalars.
    package let length: ClosedRange<Int>
    /// The characters that it consists of; nil for any except U+0000.
    package let characters: AdminCharacters?

    package init(_ length: ClosedRange<Int>, _ characters: AdminCharacters? = nil) {
        self.length = length
        self.characters = characters
    }

    package static func upTo(_ length: Int) -> AdminText { AdminText(0...length) }

    func accepts(_ text: String) -> Bool {
        guard length.contains(text.unicodeScalars.count) else { return false }
        return text.unicodeScalars.allSatisfy { characters?.contains($0) ?? ($0.value != 0) }
    }
}

/// A set of characters with its name in a regular expression.
package enum AdminCharacters: String, Sendable {
    case hexadecimal = "[0-9a-f]"
    case name = "[a-z0-9_-]"
    case base64URL = "[A-Za-z0-9_-]"
    case visible = "[!-~]"
    case dotted = "[a-z0-9.-]"
    case printable = "[ -~]"

    func contains(_ scalar: Unicode.Scalar) -> Bool {
        switch (self, scalar) {
        case (.hexadecimal, "0"..."9"), (.hexadecimal, "a"..."f"): true
        case (.name, "a"..."z"), (.name, "0"..."9"), (.name, "_"), (.name, "-"): true
        case (.base64URL, "A"..."Z"), (.base64URL, "a"..."z"), (.base64URL, "0"..."9"), (.base64URL, "_"),
            (.base64URL, "-"):
            true
        case (.visible, "!"..."~"), (.printable, " "..."~"): true
        case (.dotted, "a"..."z"), (.dotted, "0"..."9"), (.dotted, "."), (.dotted, "-"): true
        default: false
        }
    }
}

/// A member of an object.
package struct AdminProperty: Sendable {
    package let name: String
    package let schema: AdminSchema
    package let description: String
    package let isRequired: Bool

    package init(_ name: String, _ schema: AdminSchema, _ description: String, isRequired: Bool = true) {
        self.name = name
        self.schema = schema
        self.description = description
        self.isRequired = isRequired
    }
}
