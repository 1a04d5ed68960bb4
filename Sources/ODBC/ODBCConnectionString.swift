/// A connection string, made of attributes so that a value can not become another attribute.
public struct ODBCConnectionString: Sendable, Equatable {
    /// Holds the password.
    public let text: String

    /// - Parameter attributes: in this order; of two with one name, drivers take the first.
    /// - Throws: ``ODBCConnectionStringError`` for a name or value that no connection string can carry.
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
        // The length travels in sixteen bits.
        guard text.utf16.count <= 8_192 else { throw .tooLong }
    }

    /// In braces, with closing ones doubled, where a value is more than one word to a parser (ODBC Programmer's Reference,
    /// SQLDriverConnect). Others stay as they are, because some drivers, SQLite's among them, know no braces.
    static func quoted(_ value: String) -> String {
        // By scalars, as parsers read them: a `;` with an accent over it is one character to Swift, and none of them.
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

    /// The names of attributes: letters, digits, `_`, `-` and spaces between them.
    static func isName(_ name: String) -> Bool {
        guard !name.isEmpty, !name.hasPrefix(" "), !name.hasSuffix(" ") else { return false }
        return name.unicodeScalars.allSatisfy { scalar in
            scalar.isASCII && (scalar.properties.isAlphabetic || ("0"..."9").contains(scalar) || scalar == "_"
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
