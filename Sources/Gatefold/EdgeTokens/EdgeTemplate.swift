/// A text with the placeholders `{edition}` and `{publication}`, such as `/editions/{edition}/*`.
///
/// The text and both identifiers contain only characters that a cookie value may contain (RFC 6265 section 4.1.1).
/// The result therefore cannot end a header, a cookie, a JSON string or a field.
struct EdgeTemplate: Sendable {
    private enum Piece: Sendable {
        case text(String)
        case edition
        case publication
    }

    private let pieces: [Piece]
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
        var pieces: [Piece] = []
        var rest = Substring(source)
        while let open = rest.firstIndex(of: "{") {
            if open > rest.startIndex { pieces.append(.text(String(rest[..<open]))) }
            guard let close = rest[open...].firstIndex(of: "}") else { throw .placeholder(setting: setting) }
            switch rest[rest.index(after: open)..<close] {
            case "edition": pieces.append(.edition)
            case "publication": pieces.append(.publication)
            default: throw .placeholder(setting: setting)
            }
            rest = rest[rest.index(after: close)...]
        }
        if !rest.isEmpty { pieces.append(.text(String(rest))) }
        self.pieces = pieces
        self.source = source
    }

    func fill(_ grant: EdgeGrant) -> String {
        pieces.map { piece in
            switch piece {
            case .text(let text): text
            case .edition: grant.edition.rawValue
            case .publication: grant.publication.rawValue
            }
        }.joined()
    }

    private static func isCookieOctet(_ byte: UInt8) -> Bool {
        (0x21...0x7E).contains(byte) && !#"",;\"#.utf8.contains(byte)
    }
}
