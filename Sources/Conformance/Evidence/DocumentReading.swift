package import XML

/// The parsed body of a response that should be an XML document.
package struct DocumentReading: Sendable {
    private let response: ReceivedResponse
    /// The fault in the encoding that the document declares, or nil if there is none.
    package var encodingFault: String? { TextEncoding.fault(in: response) }
    /// The fault that makes the body invalid as XML, or nil if there is none.
    package let formFault: String?
    package let root: XMLElement?
    /// The number of elements, attributes and comments in the document.
    let markup: Int

    /// The maximum number of elements, attributes and comments in a document. The next limit applies to the
    /// attributes of one element.
    static let maxMarkup = 20_000
    static let maxAttributes = 200

    /// Parses the body of a response. Returns nil if no document is due: the status is not 200, or the request is
    /// of another kind.
    init?(_ response: ReceivedResponse, to probe: Probe) {
        guard response.status == 200, probe.call?.hasDocument == true, probe.method != "HEAD" else { return nil }
        switch probe.purpose {
        case .otherMethod, .unknownPath, .fileBehindCall, .gate: return nil
        default: break
        }
        self.response = response
        let count = MarkupCount(response.body)
        markup = count.total
        if let fault = TextEncoding.obstacle(in: response.body) ?? Self.excess(of: count) {
            root = nil
            formFault = fault
            return
        }
        do {
            root = try XMLDocument(parsing: response.body, limits: .init(size: probe.maxBodySize)).root
            formFault = nil
        } catch {
            root = nil
            formFault = "\(error)"
        }
    }

    private static func excess(of count: MarkupCount) -> String? {
        if count.total > maxMarkup {
            return "the document has more than \(maxMarkup) elements, attributes and comments and was not parsed"
        }
        return count.maxAttributes > maxAttributes
            ? "an element has more than \(maxAttributes) attributes, so the document was not parsed" : nil
    }
}

/// The encoding that a document declares (RFC 7303 section 3, XML 1.0 section 4.3.3).
enum TextEncoding {
    static func fault(in response: ReceivedResponse) -> String? {
        let declared = declaration(response.body)?.lowercased()
        let charset = charset(response["Content-Type"])?.lowercased()
        for (name, place) in [(declared, "the XML declaration"), (charset, "Content-Type")] {
            if let name, !["utf-8", "us-ascii"].contains(name) {
                return "\(place) names \(Printable.quote(name)), not UTF-8"
            }
        }
        if String(validating: response.body, as: UTF8.self) == nil { return "the bytes are not UTF-8" }
        return nil
    }

    /// Returns the reason why a document cannot be read, or nil if there is none. An encoding that does not extend
    /// ASCII is such a reason, because its markup cannot be counted.
    static func obstacle(in body: [UInt8]) -> String? {
        let byteOrderMark: [UInt8] = [0xEF, 0xBB, 0xBF]
        let text = body.dropFirst(body.starts(with: byteOrderMark) ? byteOrderMark.count : 0)
        // XML parsers detect UTF-16, UTF-32 and EBCDIC by the first bytes (XML 1.0 appendix F).
        let isForeign =
            text.prefix(4).contains(0) || text.first.map { $0 >= 0x80 } ?? false
            || text.starts(with: [0x4C, 0x6F, 0xA7, 0x94])
        if isForeign { return "the encoding does not extend ASCII, so the document was not parsed" }
        guard text.starts(with: Array("<?xml".utf8)) else { return nil }
        guard text.prefix(maxDeclarationLength).firstRange(of: Array("?>".utf8)) != nil else {
            return "the XML declaration is longer than \(maxDeclarationLength) bytes, so the document was not parsed"
        }
        guard let name = declaration(body)?.lowercased() else { return nil }
        let isReadable = ["utf-8", "us-ascii", "ascii", "iso-8859-", "windows-125"].contains { name.hasPrefix($0) }
        return isReadable
            ? nil : "the XML declaration names an encoding that does not extend ASCII, so the document was not parsed"
    }

    /// The maximum length of an XML declaration, in bytes.
    private static let maxDeclarationLength = 200

    /// Returns the encoding in the XML declaration.
    static func declaration(_ body: [UInt8]) -> String? {
        let start = String(decoding: body.prefix(maxDeclarationLength + 3), as: UTF8.self)
        guard let match = start.firstMatch(of: /^\x{FEFF}?<\?xml[^>]*?encoding\s*=\s*["']([^"']*)["'][^>]*>/) else {
            return nil
        }
        return String(match.1)
    }

    private static func charset(_ contentType: String?) -> String? {
        guard let match = contentType?.firstMatch(of: /;\s*[cC][hH][aA][rR][sS][eE][tT]\s*=\s*"?([^\s";,]+)/) else {
            return nil
        }
        return String(match.1)
    }
}
