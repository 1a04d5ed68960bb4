package import XML

/// What the body of an answer is, where it should be an XML document.
package struct DocumentReading: Sendable {
    /// What is wrong with how its bytes say they are to be read; nil when nothing is.
    package let encodingFault: String?
    /// What is wrong with it as XML; nil when nothing is.
    package let formFault: String?
    package let root: XMLElement?

    /// Nil where no document is due: another status than 200, another kind of request.
    init?(_ answer: RawAnswer, to probe: Probe) {
        guard answer.status == 200, probe.call?.hasDocument == true, probe.method != "HEAD" else { return nil }
        switch probe.situation {
        case .otherMethod, .unknownPath, .fileBehindCall, .gate: return nil
        default: break
        }
        encodingFault = TextEncoding.fault(in: answer)
        do {
            root = try XMLDocument(parsing: answer.body, limits: .init(size: probe.longestBody)).root
            formFault = nil
        } catch {
            root = nil
            formFault = "\(error)"
        }
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

    /// The encoding in the XML declaration.
    static func declaration(_ body: [UInt8]) -> String? {
        let start = String(decoding: body.prefix(200), as: UTF8.self)
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
