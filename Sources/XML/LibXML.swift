import CLibXML2

/// The part of libxml2 that parses bytes into a tree. This code owns the memory, collects the errors, and prints
/// nothing.
enum LibXML {
    /// A constant whose first use initialises libxml2's tables, which must happen once, before threads use libxml2.
    static let isReady: Bool = {
        xmlInitParser()
        // The first schema would otherwise initialise these tables, and two threads may compile a first schema at
        // the same time.
        xmlRelaxNGInitTypes()
        xmlSchemaInitTypes()
        clibxml2_silence()
        return true
    }()

    /// Parses a document, lends it to `body` and frees it.
    static func withDocument<Result>(_ bytes: [UInt8], _ body: (xmlDocPtr) throws -> Result) throws -> Result {
        guard isReady, let context = xmlNewParserCtxt() else { throw XMLError.outOfMemory }
        defer { xmlFreeParserCtxt(context) }
        // A document type declaration stops the parser at its beginning, so that no entity is ever declared.
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

    /// Returns the concatenated text and CDATA of the node and its following siblings.
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

    /// Returns libxml2's text for an error, with the line that the error concerns.
    static func describe(_ error: xmlError) -> String {
        let message = error.message.map { String(cString: $0) } ?? "error \(error.code)"
        return "line \(error.line): \(message.split(whereSeparator: \.isNewline).joined(separator: " "))"
    }
}

extension String {
    /// Creates a string from a text of libxml2, which is UTF-8. Nil becomes an empty string.
    init(xml text: UnsafePointer<xmlChar>?) {
        self = text.map { String(cString: $0) } ?? ""
    }
}
