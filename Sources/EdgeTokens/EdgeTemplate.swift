import Gatefold
import Primitives

/// A text with the placeholders `{edition}` and `{publication}`, such as `/editions/{edition}/*`.
///
/// The text and both identifiers contain only characters that a cookie value may contain (RFC 6265 section 4.1.1).
/// The result therefore cannot end a header, a cookie, a JSON string or a field.
struct EdgeTemplate: Sendable {
    private let template: PlaceholderTemplate
    /// The text before substitution.
    let source: String

    /// Parses a template.
    ///
    /// - Parameters:
    ///   - setting: The setting's name in an error.
    ///   - reserved: The characters with a special meaning in the output.
    init(_ source: String, setting: String, reserved: String = "") throws(EdgeTokenError) {
        guard !source.isEmpty else { throw .empty(setting: setting) }
        guard source.utf8.allSatisfy({ Self.isCookieOctet($0) && !reserved.utf8.contains($0) }) else {
            throw .character(setting: setting)
        }
        guard let template = try? PlaceholderTemplate(source), template.names.isSubset(of: ["edition", "publication"])
        else { throw .placeholder(setting: setting) }
        self.template = template
        self.source = source
    }

    func fill(_ grant: EdgeGrant) -> String {
        template.render { $0 == "edition" ? grant.edition.rawValue : grant.publication.rawValue }
    }

    private static func isCookieOctet(_ byte: UInt8) -> Bool {
        (0x21...0x7E).contains(byte) && !#"",;\"#.utf8.contains(byte)
    }
}
