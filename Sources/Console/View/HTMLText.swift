import Mustache

/// The escaping of each value that a template shows.
///
/// It replaces that of swift-mustache, which compares characters: a quotation mark with a combining mark is one character in Swift
/// and passes there, but a browser reads the quotation mark. Control and format characters, such as those that change the
/// direction of text or begin a line, appear as their numbers.
struct HTMLText: MustacheContentType {
    static let name = "GATEFOLD"

    func escapeText(_ text: String) -> String { Self.escape(text) }

    static func escape(_ text: String) -> String {
        var escaped = String.UnicodeScalarView()
        for scalar in text.unicodeScalars {
            switch scalar {
            case "<": escaped.append(contentsOf: "&lt;".unicodeScalars)
            case ">": escaped.append(contentsOf: "&gt;".unicodeScalars)
            case "&": escaped.append(contentsOf: "&amp;".unicodeScalars)
            case "\"": escaped.append(contentsOf: "&quot;".unicodeScalars)
            case "'": escaped.append(contentsOf: "&#39;".unicodeScalars)
            case let scalar where isInvisible(scalar):
                escaped.append(contentsOf: "[U+\(String(scalar.value, radix: 16, uppercase: true))]".unicodeScalars)
            default: escaped.append(scalar)
            }
        }
        return String(escaped)
    }

    private static func isInvisible(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.properties.generalCategory {
        case .control, .format, .lineSeparator, .paragraphSeparator, .surrogate: true
        default: false
        }
    }
}
