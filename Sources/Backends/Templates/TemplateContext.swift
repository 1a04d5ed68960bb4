import Foundation
import Gatefold
import LDAP
import OutgoingRequests
import Primitives

/// The place of a value in a request. The place decides the encoding of the value, so that the value can never be
/// read as anything but a value.
enum TemplateContext: Sendable {
    /// A part of a path segment (RFC 3986 section 3.3).
    case path
    /// A part of a query value (RFC 3986 section 3.4).
    case query
    /// A part of a value in `application/x-www-form-urlencoded`.
    case form
    /// Text or a quoted attribute (XML 1.0 sections 2.4 and 3.3.3).
    case xml
    /// A whole header value (RFC 9110 section 5.5).
    case header
    /// A part of a header value, such as a cookie or a parameter. The value must not terminate that part (RFC 9110
    /// section 5.6, RFC 6265 section 4.1.1).
    case headerPart
    /// A value in a search filter (RFC 4515 section 3).
    case searchFilter
    /// A value in a distinguished name (RFC 4514 section 2.4).
    case distinguishedName
    /// A text without a known syntax. The value is written unchanged, on one line.
    case line
    /// A text whose caller does the encoding, such as the JSON writer.
    case plain

    /// Returns the value, encoded for the place.
    ///
    /// - Throws: ``UnsendableValue`` for a value that the place cannot carry.
    func write(_ value: String) throws(UnsendableValue) -> String {
        switch self {
        case .path:
            // An empty value would produce a different path.
            guard !value.isEmpty else { throw UnsendableValue() }
            return Self.percentEncoded(value)
        case .query:
            return Self.percentEncoded(value)
        case .form:
            return Self.formEncoded(value)
        case .xml:
            return try Self.xml(value)
        case .searchFilter:
            return FilterValue.escape(value)
        case .distinguishedName:
            return NameValue.escape(value)
        case .headerPart:
            guard !value.contains(where: { ";,\"\\".contains($0) }) else { throw UnsendableValue() }
            return try Self.header.write(value)
        case .header, .line:
            guard !value.unicodeScalars.contains(where: { $0.value < 0x20 || (0x7F...0x9F).contains($0.value) }) else {
                throw UnsendableValue()
            }
            return value
        case .plain:
            return value
        }
    }

    /// Percent-encodes everything but the unreserved characters of RFC 3986 section 2.3.
    static func percentEncoded(_ value: String) -> String { PercentEncoding.encode(value) }

    static func formEncoded(_ value: String) -> String {
        percentEncoded(value).replacing("%20", with: "+")
    }

    /// Escapes a value for XML. Writes white space as character references, because a parser may normalise it to
    /// other white space.
    private static func xml(_ value: String) throws(UnsendableValue) -> String {
        var text = ""
        for scalar in value.unicodeScalars {
            switch scalar {
            case "&": text += "&amp;"
            case "<": text += "&lt;"
            case ">": text += "&gt;"
            case "\"": text += "&quot;"
            case "'": text += "&apos;"
            case "\t", "\n", "\r": text += "&#\(scalar.value);"
            case "\u{0}"..<"\u{20}", "\u{FFFE}", "\u{FFFF}": throw UnsendableValue()
            default: text.unicodeScalars.append(scalar)
            }
        }
        return text
    }
}

/// A failure for a value that is missing, or that a request cannot carry unchanged.
///
/// Input of a reader that cannot be sent belongs to no reader. Any other value is a failure of the request.
struct UnsendableValue: RequestScopedFailure, Equatable {
    /// The name of the missing value, or nil for a value that cannot be carried.
    var name: String?

    /// Always true, because no request was sent.
    var isRequestScoped: Bool { true }

    var cause: String {
        name.map { "there is no value `\($0)` for the request" }
            ?? "a value cannot be sent where the request uses it"
    }
}
