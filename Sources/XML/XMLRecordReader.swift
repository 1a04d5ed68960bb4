import CLibXML2

/// One element of many alike, as ``XMLRecordReader`` finds it.
public struct XMLRecord: Sendable, Equatable {
    public struct Field: Sendable, Equatable {
        /// Where the text stands below the record: `name` for a child, `address/city` for a child's child, `@id` for an
        /// attribute, `edition/@code` for a child's attribute, `.` for the record's own text.
        public let path: String
        public let value: String

        public init(path: String, value: String) {
            self.path = path
            self.value = value
        }
    }

    /// The line on which the element begins; the first is 1.
    public let line: Int
    /// In the order of the document; a path may come several times, and one without text does not come.
    public let fields: [Field]
}

/// Reads a document of any length that is a list of records, one after the other, from chunks of bytes of any size.
///
/// Nothing is kept of a record that was handed over. As with ``XMLDocument`` nothing is fetched, no entity is substituted,
/// and a document that declares a type is refused. Names are taken without their namespaces' prefixes.
public final class XMLRecordReader {
    private let state: XMLRecordState
    private let context: xmlParserCtxtPtr
    private var isDone = false

    /// - Parameters:
    ///   - element: the name of the elements that are records; one inside another is a part of it.
    ///   - recordSize: the most bytes of text, with the names, that one record may have.
    /// - Throws: ``XMLError/outOfMemory``.
    public init(element: String, recordSize: Int = 1 << 20, depth: Int = 100) throws(XMLError) {
        xmlInitParser()
        state = XMLRecordState(element: element, recordSize: recordSize, depth: min(depth, 250))
        var handler = XMLRecordState.handler
        guard
            let context = xmlCreatePushParserCtxt(
                &handler, Unmanaged.passUnretained(state).toOpaque(), nil, 0, nil)
        else { throw .outOfMemory }
        self.context = context
        state.context = context
        // NOENT has libxml2 hand over `&amp;` in an attribute as the one character it stands for. There are no entities but
        // the five of XML itself, because nothing may declare one.
        xmlCtxtUseOptions(
            context,
            Int32(
                XML_PARSE_NONET.rawValue | XML_PARSE_NOENT.rawValue | XML_PARSE_NOERROR.rawValue
                    | XML_PARSE_NOWARNING.rawValue))
    }

    deinit {
        xmlFreeParserCtxt(context)
    }

    /// Takes the next bytes, and hands over every record they complete.
    ///
    /// - Throws: ``XMLError`` or what `body` throws; the reader is of no use afterwards.
    public func read(_ bytes: [UInt8], _ body: (XMLRecord) throws -> Void) throws {
        try parse(bytes, isLast: false, body)
    }

    /// Ends the document.
    ///
    /// - Throws: ``XMLError``, also when the document is not at its end.
    public func finish(_ body: (XMLRecord) throws -> Void) throws {
        guard !isDone else { return }
        isDone = true
        try parse([], isLast: true, body)
    }

    private func parse(_ bytes: [UInt8], isLast: Bool, _ body: (XMLRecord) throws -> Void) throws {
        // In pieces, so that the records of one do not fill the memory.
        var rest = bytes[...]
        repeat {
            let piece = rest.prefix(1 << 16)
            rest = rest.dropFirst(piece.count)
            let code = piece.withUnsafeBytes {
                xmlParseChunk(
                    context, $0.baseAddress?.assumingMemoryBound(to: CChar.self), Int32($0.count),
                    isLast && rest.isEmpty ? 1 : 0)
            }
            // What was whole before the mistake is handed over: the caller may want to know where it stands.
            for record in state.take() { try body(record) }
            if let failure = state.failure { throw failure }
            guard code == 0, context.pointee.wellFormed == 1 else { throw XMLError.malformed(words(code)) }
        } while !rest.isEmpty
    }

    /// Where the mistake is and its number; libxml2's own words may quote the document.
    private func words(_ code: Int32) -> String {
        let line = xmlCtxtGetLastError(context).map { Int($0.pointee.line) } ?? 0
        return "line \(line): error \(code) of libxml2"
    }
}
