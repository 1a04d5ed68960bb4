package import XML

/// What the body of an answer is, where it should be an XML document.
package struct DocumentReading: Sendable {
    private let answer: RawAnswer
    /// What is wrong with how its bytes say they are to be read; nil when nothing is.
    package var encodingFault: String? { TextEncoding.fault(in: answer) }
    /// What is wrong with it as XML; nil when nothing is.
    package let formFault: String?
    package let root: XMLElement?
    /// How many elements, attributes and comments it has.
    let markup: Int

    /// The most of these in a document, and attributes of one element.
    static let mostMarkup = 20_000
    static let mostAttributes = 200

    /// Nil where no document is due: another status than 200, another kind of request.
    init?(_ answer: RawAnswer, to probe: Probe) {
        guard answer.status == 200, probe.call?.hasDocument == true, probe.method != "HEAD" else { return nil }
        switch probe.situation {
        case .otherMethod, .unknownPath, .fileBehindCall, .gate: return nil
        default: break
        }
        self.answer = answer
        let count = MarkupCount(answer.body)
        markup = count.total
        if let fault = TextEncoding.obstacle(in: answer.body) ?? Self.excess(of: count) {
            root = nil
            formFault = fault
            return
        }
        do {
            root = try XMLDocument(parsing: answer.body, limits: .init(size: probe.longestBody)).root
            formFault = nil
        } catch {
            root = nil
            formFault = "\(error)"
        }
    }

    private static func excess(of count: MarkupCount) -> String? {
        if count.total > mostMarkup {
            return "it has more than \(mostMarkup) elements, attributes and comments, and is not read"
        }
        return count.mostAttributes > mostAttributes
            ? "an element has more than \(mostAttributes) attributes, and the document is not read" : nil
    }
}

/// How a document's bytes say they are to be read (RFC 7303 section 3, XML 1.0 section 4.3.3).
enum TextEncoding {
    static func fault(in answer: RawAnswer) -> String? {
        let declared = declaration(answer.body)?.lowercased()
        let charset = charset(answer["Content-Type"])?.lowercased()
        for (name, place) in [(declared, "the XML declaration"), (charset, "Content-Type")] {
            if let name, !["utf-8", "us-ascii"].contains(name) {
                return "\(place) says \(Printable.quote(name)), not UTF-8"
            }
        }
        if String(validating: answer.body, as: UTF8.self) == nil { return "its bytes are no UTF-8" }
        return nil
    }

    /// What keeps a document from being read: letters that are not ASCII's, in which its markup could not be counted; nil for
    /// nothing.
    static func obstacle(in body: [UInt8]) -> String? {
        let mark: [UInt8] = [0xEF, 0xBB, 0xBF]
        let text = body.dropFirst(body.starts(with: mark) ? mark.count : 0)
        // How readers of XML tell UTF-16, UTF-32 and EBCDIC by the first bytes (XML 1.0 appendix F).
        let isForeign =
            text.prefix(4).contains(0) || text.first.map { $0 >= 0x80 } ?? false
            || text.starts(with: [0x4C, 0x6F, 0xA7, 0x94])
        if isForeign { return "its letters are not ASCII's, and it is not read" }
        guard text.starts(with: Array("<?xml".utf8)) else { return nil }
        guard text.prefix(longestDeclaration).firstRange(of: Array("?>".utf8)) != nil else {
            return "its XML declaration is longer than \(longestDeclaration) bytes, and it is not read"
        }
        guard let name = declaration(body)?.lowercased() else { return nil }
        let isReadable = ["utf-8", "us-ascii", "ascii", "iso-8859-", "windows-125"].contains { name.hasPrefix($0) }
        return isReadable ? nil : "its XML declaration names letters that are not ASCII's, and it is not read"
    }

    /// In bytes.
    private static let longestDeclaration = 200

    /// The encoding in the XML declaration.
    static func declaration(_ body: [UInt8]) -> String? {
        let start = String(decoding: body.prefix(longestDeclaration + 3), as: UTF8.self)
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
