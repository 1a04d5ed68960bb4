import Foundation
import Gatefold
import OutgoingRequests
import Protections

/// Where a value goes, which decides how it is written, so that it can never be read as anything but a value.
enum TemplatePlace: Sendable {
    /// A part of a path's segment (RFC 3986 section 3.3).
    case path
    /// A part of a query's value (RFC 3986 section 3.4).
    case query
    /// A part of a value in `application/x-www-form-urlencoded`.
    case form
    /// Text or an attribute in quotes (XML 1.0 sections 2.4 and 3.3.3).
    case xml
    /// A header's whole value (RFC 9110 section 5.5).
    case header
    /// A part of a header's value, which must not end what it is a part of, such as a cookie or a parameter (RFC 9110
    /// section 5.6, RFC 6265 section 4.1.1).
    case headerPart
    /// A text of no syntax that we know; what is in it is written as it is, in one line.
    case line
    /// A text that is written by somebody who knows its place, such as the writer of JSON.
    case asIs

    /// - Throws: ``Unsendable`` for a value that the place can not carry.
    func write(_ value: String) throws(Unsendable) -> String {
        switch self {
        case .path:
            // Without it the path would be another one.
            guard !value.isEmpty else { throw Unsendable() }
            return Self.percentEncoded(value)
        case .query:
            return Self.percentEncoded(value)
        case .form:
            return Self.formEncoded(value)
        case .xml:
            return try Self.xml(value)
        case .headerPart:
            guard !value.contains(where: { ";,\"\\".contains($0) }) else { throw Unsendable() }
            return try Self.header.write(value)
        case .header, .line:
            guard !value.unicodeScalars.contains(where: { $0.value < 0x20 || (0x7F...0x9F).contains($0.value) }) else {
                throw Unsendable()
            }
            return value
        case .asIs:
            return value
        }
    }

    /// Everything but the unreserved characters of RFC 3986 section 2.3.
    static func percentEncoded(_ value: String) -> String { PercentEncoding.encode(value) }

    static func formEncoded(_ value: String) -> String {
        percentEncoded(value).replacing("%20", with: "+")
    }

    /// White space is written as references, because a parser may read it as other white space.
    private static func xml(_ value: String) throws(Unsendable) -> String {
        var text = ""
        for scalar in value.unicodeScalars {
            switch scalar {
            case "&": text += "&amp;"
            case "<": text += "&lt;"
            case ">": text += "&gt;"
            case "\"": text += "&quot;"
            case "'": text += "&apos;"
            case "\t", "\n", "\r": text += "&#\(scalar.value);"
            case "\u{0}"..<"\u{20}", "\u{FFFE}", "\u{FFFF}": throw Unsendable()
            default: text.unicodeScalars.append(scalar)
            }
        }
        return text
    }
}

/// A value that a request can not carry as what it is, or that is not there.
///
/// What a reader typed that can not even be asked about is nobody's; anything else is a question that can not be asked.
struct Unsendable: AnswerFailure, Equatable {
    /// The value that is not there; nil for one that can not be carried.
    var name: String?

    /// Nothing was asked.
    var isOfOneAnswer: Bool { true }

    var cause: String {
        name.map { "there is no value `\($0)` for the request" }
            ?? "a value can not be carried where the request has it"
    }
}
