import CLibXML2

/// The part of libxml2 that reads bytes into its tree: owns the memory, collects the errors, prints nothing.
enum LibXML {
    /// libxml2 wants its tables set up once, before threads use it.
    static let isReady: Bool = {
        xmlInitParser()
        // These, too: the first schema would set them up otherwise, and two threads may read a first one.
        xmlRelaxNGInitTypes()
        xmlSchemaInitTypes()
        clibxml2_silence()
        return true
    }()

    /// Reads a document, lends it to `body` and frees it.
    static func withDocument<Result>(_ bytes: [UInt8], _ body: (xmlDocPtr) throws -> Result) throws -> Result {
        guard isReady, let context = xmlNewParserCtxt() else { throw XMLError.outOfMemory }
        defer { xmlFreeParserCtxt(context) }
        // The declaration of a type ends the reading where it begins: no entity is ever declared.
        context.pointee.sax?.pointee.internalSubset = { context, _, _, _ in
            guard let context else { return }
            let parser = context.assumingMemoryBound(to: xmlParserCtxt.self)
            parser.pointee._private = context
            xmlStopParser(parser)
        }
        let options = XML_PARSE_NONET.rawValue | XML_PARSE_NOERROR.rawValue | XML_PARSE_NOWARNING.rawValue
        let document = bytes.withUnsafeBytes { bytes in
            xmlCtxtReadMemory(
                context, bytes.baseAddress?.assumingMemoryBound(to: CChar.self), Int32(clamping: bytes.count), nil, nil,
                Int32(options))
        }
        defer { xmlFreeDoc(document) }
        guard context.pointee._private == nil else { throw XMLError.declaresType }
        guard let document, context.pointee.wellFormed == 1 else {
            throw XMLError.malformed(lastError(of: context))
        }
        return try body(document)
    }

    /// The text and CDATA of these siblings, put together.
    static func text(inside first: xmlNodePtr?) -> String {
        var text = ""
        var node = first
        while let current = node {
            if current.pointee.type == XML_TEXT_NODE || current.pointee.type == XML_CDATA_SECTION_NODE {
                text += String(xml: current.pointee.content)
            }
            node = current.pointee.next
        }
        return text
    }

    private static func lastError(of context: xmlParserCtxtPtr) -> String {
        guard let error = xmlCtxtGetLastError(context) else { return "no further reason given" }
        return describe(error.pointee)
    }

    /// libxml2's words for an error, with the line they are about.
    static func describe(_ error: xmlError) -> String {
        let words = error.message.map { String(cString: $0) } ?? "error \(error.code)"
        return "line \(error.line): \(words.split(whereSeparator: \.isNewline).joined(separator: " "))"
    }
}

extension String {
    /// A text of libxml2, which is UTF-8; nil is empty.
    init(xml text: UnsafePointer<xmlChar>?) {
        self = text.map { String(cString: $0) } ?? ""
    }
}
