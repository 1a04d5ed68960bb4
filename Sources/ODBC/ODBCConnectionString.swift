/// A connection string, built from attributes so that a value cannot become another attribute.
public struct ODBCConnectionString: Sendable, Equatable {
    /// The connection string. It contains the password.
    public let text: String

    /// - Parameter attributes: in this order. Drivers use the first of two attributes with the same name.
    /// - Throws: ``ODBCConnectionStringError`` for a name or value that a connection string cannot represent.
    public init(_ attributes: [(name: String, value: String)]) throws(ODBCConnectionStringError) {
        var parts: [String] = []
        for (name, value) in attributes {
            guard Self.isName(name) else { throw .badName(name) }
            guard !value.unicodeScalars.contains(where: { $0.value < 0x20 || $0.value == 0x7F }) else {
                throw .badValue(name)
            }
            parts.append("\(name)=\(Self.quoted(value))")
        }
        text = parts.joined(separator: ";")
        // The length is passed as a 16-bit integer.
        guard text.utf16.count <= 8_192 else { throw .tooLong }
    }

    /// Encloses a value in braces, with closing braces doubled, if a parser would not read it as a single value
    /// (ODBC Programmer's Reference, SQLDriverConnect). Other values stay unchanged, because some drivers, such as
    /// SQLite's, do not support braces.
    static func quoted(_ value: String) -> String {
        // Parsers read scalars. For example, Swift sees a `;` with a combining accent as one character that equals
        // none of the special characters.
        let scalars = value.unicodeScalars
        let isPlain =
            !scalars.contains { $0 == ";" || $0 == "{" || $0 == "}" }
            && scalars.first?.properties.isWhitespace != true && scalars.last?.properties.isWhitespace != true
        if isPlain { return value }
        var quoted = String.UnicodeScalarView()
        quoted.append("{")
        for scalar in scalars {
            quoted.append(scalar)
            if scalar == "}" { quoted.append(scalar) }
        }
        quoted.append("}")
        return String(quoted)
    }

    /// Returns true for a valid attribute name: letters, digits, `_`, `-`, and inner spaces.
    static func isName(_ name: String) -> Bool {
        guard !name.isEmpty, !name.hasPrefix(" "), !name.hasSuffix(" ") else { return false }
        return name.unicodeScalars.allSatisfy { scalar in
            scalar.isASCII
                && (scalar.properties.isAlphabetic || ("0"..."9").contains(scalar) || scalar == "_"
                    || scalar == "-" || scalar == " ")
        }
    }
}

public enum ODBCConnectionStringError: Error, Equatable, Sendable, CustomStringConvertible {
    case badName(String)
    case badValue(String)
    case tooLong

    public var description: String {
        switch self {
        case .badName(let name): "`\(name)` is not the name of an attribute"
        case .badValue(let name): "`\(name)` has a control character"
        case .tooLong: "the connection string has more than 8192 characters"
        }
    }
}
